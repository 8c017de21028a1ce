"""The limit that nobody asked for."""

from __future__ import annotations

import copy
import json
import pickle

from excerpt.model.usual_limit import USUAL_LIMIT, UsualLimit


def test_it_is_a_number_that_knows_where_it_comes_from() -> None:
    """Also after a journey to another process; in JSON it is the number."""
    for travelled in (pickle.loads(pickle.dumps(USUAL_LIMIT)), copy.deepcopy(USUAL_LIMIT)):
        assert travelled == 1500
        assert isinstance(travelled, UsualLimit)
    assert json.dumps(USUAL_LIMIT) == "1500"
