/** GitLab's own spellings, and WIP, which it dropped with 14.8 and people still write. */
const DRAFT_TITLE = /^\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):|draft\s-\s|draft$)/i;

export const hasDraftTitle = (title: string): boolean => DRAFT_TITLE.test(title);
