/** Returns null for invalid JSON, and for the JSON value `null`. */
export const jsonOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
