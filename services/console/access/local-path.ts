/** An address of this page; `/` for anything that leads elsewhere. */
export const localPath = (given: string | undefined): string => {
  if (given === undefined || given.length > 500 || !given.startsWith('/')) return '/';
  const base = 'http://console.invalid';
  if (!URL.canParse(given, base)) return '/';
  const { origin, pathname, search } = new URL(given, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
};
