"""Read the text of every document of a corpus, in order.

python read_texts.py CORPUS
"""

from __future__ import annotations

import sys

from excerpt import Corpus

if __name__ == "__main__":
    corpus = Corpus.read(sys.argv[1])
    print(sum(len(corpus[document]) for document in corpus))
