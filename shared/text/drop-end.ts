/** Removes characters from the end. It is a loop, because a pattern that ends in `+$` takes quadratic time on long runs. */
export const dropEnd = (text: string, isDropped: (character: string) => boolean): string => {
  let end = text.length;
  while (end > 0 && isDropped(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};
