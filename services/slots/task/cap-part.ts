/**
 * Cuts the text and says so, because a reviewer must know that text is missing. `total`: the length of the whole text,
 * as a string.
 */
export const capPart = (text: string, limit = MAX_PART_CHARACTERS, total = String(text.length)): string => {
  if (text.length <= limit) return text;
  const kept = cutAt(text, limit);
  return `${kept}\n[cut: only the first ${kept.length} of ${total} characters are shown]`;
};

export const MAX_PART_CHARACTERS = 50_000;
const cutAt = (text: string, limit: number): string => {
  const end = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
  return text.slice(0, end);
};
