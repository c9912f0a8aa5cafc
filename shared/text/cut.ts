/** Returns where to cut so that at most `length` UTF-16 units remain. Never splits a character; cuts at a line end if possible. */
export const cutPoint = (text: string, length: number): number => {
  if (text.length <= length) return text.length;
  const lineEnd = text.lastIndexOf('\n', length);
  if (lineEnd > length / 2) return lineEnd;
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
};

const noticeFor = (maxLength: number): string => `\n\n_(Cut here: the text was longer than ${maxLength} characters.)_`;

/** Cuts to at most `maxLength` UTF-16 units. `repair` closes open fences and may lengthen the text; the cut is then earlier. */
export const cutWithNotice = (text: string, maxLength: number, repair: (piece: string) => string): string => {
  if (text.length <= maxLength) return text;
  const notice = noticeFor(maxLength);
  const room = maxLength - notice.length;
  for (let length = room; length > 0; length = Math.floor(length * 0.9)) {
    const piece = repair(text.slice(0, cutPoint(text, length)));
    if (piece.length <= room) return piece + notice;
  }
  return notice.trim().slice(0, Math.max(0, maxLength));
};
