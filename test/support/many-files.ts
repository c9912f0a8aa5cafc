/** Files that make a change large enough for explorers, without anything to find in them. */
export const MANY_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 6 }, (_, index) => [`many/part${index}.js`, `export const part${index} = ${index};\n`]),
);
