/** GitLab's draft prefixes, plus WIP: GitLab dropped WIP in 14.8, but people still write it. */
const DRAFT_TITLE = /^\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):|draft\s-\s|draft$)/i;

export const hasDraftTitle = (title: string): boolean => DRAFT_TITLE.test(title);
