/**
 * The text without the characters at its end that pass the test. A loop, because a pattern that ends in `+$` is tried
 * again from each place of a long run and so costs the square of it.
 */
export const dropEnd = (text: string, isDropped: (character: string) => boolean): string => {
  let end = text.length;
  while (end > 0 && isDropped(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};
