"""Is the difference real? Arrays in, small results out. Names are here, arithmetic is not."""

#: Tests of significance (`significance.TESTS` has the functions).
TEST_NAMES = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
#: Corrections for the number of tests (`corrections.CORRECTIONS` has the functions).
CORRECTIONS_IN_WORDS = {
    "by": "corrected by Benjamini-Yekutieli",
    "bh": "corrected by Benjamini-Hochberg",
    "holm": "corrected by Holm",
    "bonferroni": "corrected by Bonferroni",
    "none": "not corrected",
}
CORRECTION_NAMES = tuple(CORRECTIONS_IN_WORDS)
