/** Similarity in percent from which git treats a removed and an added file as a rename. */
export const GIT_RENAME_LIKENESS = 50;
