/** From how much likeness on, in percent, git takes a removed and an added file for one that was renamed. */
export const GIT_RENAME_LIKENESS = 50;
