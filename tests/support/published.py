"""Scores that were published with what statistics say of them; and the version of scipy."""

import numpy as np
import scipy

#: Version of scipy in two numbers.
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))

#: Three systems and twenty topics of T. Sakai's book on the evaluation of information access, Table 5.1.
SAKAI = (
    np.array(
        [
            [7, 3, 2, 6, 4, 4, 0, 7, 1, 3, 5, 4, 0, 6, 5, 3, 1, 5, 2, 1],
            [5, 1, 0, 2, 4, 3, 0, 5, 3, 3, 4, 4, 1, 4, 2, 1, 1, 6, 3, 2],
            [0, 0, 2, 1, 3, 3, 1, 2, 4, 4, 4, 3, 3, 2, 2, 2, 1, 5, 4, 3],
        ]
    )
    / 10
)
