/** Tags that mean plain code. Other tags (mermaid, plantuml, math, suggestion, json:table, …) make a server draw, fetch or apply it. */
const LANGUAGES: ReadonlySet<string> = new Set(
  [
    'text txt plaintext console bash sh shell zsh fish powershell bat awk sed makefile make cmake dockerfile nginx',
    'c h cpp cxx hpp csharp cs objectivec java kotlin kt scala groovy gradle clojure swift dart go rust rs zig nim d',
    'javascript js jsx typescript ts tsx coffeescript vue svelte html css scss sass less xml json json5 jsonc yaml yml',
    'toml ini properties env csv sql graphql protobuf proto thrift python py ruby rb erb perl php lua r julia jl matlab',
    'elixir ex erlang erl haskell hs ocaml ml fsharp elm lisp scheme racket prolog fortran pascal ada vb cobol asm',
    'terraform hcl nix vim diff patch regex log http solidity verilog vhdl wasm',
  ]
    .join(' ')
    .split(' '),
);

/** Returns the first word of an info string if it is a known plain language; otherwise an empty string. */
export const languageTag = (info: string): string => {
  const word = /^[a-z0-9]+(?=\s|$)/i.exec(info.trim())?.[0].toLowerCase() ?? '';
  return LANGUAGES.has(word) ? word : '';
};

const longestRun = (text: string): number => {
  let longest = 0;
  for (const run of text.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  return longest;
};

/** Returns a fenced block that no line of `code` can close. `info` is reduced to a known plain language. */
export const codeFence = (code: string, info = ''): string => {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${languageTag(info)}\n${code}\n${fence}`;
};

const onOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();

/** Returns a code span that nothing in `text` can close. Line breaks and an empty string become a space. */
export const inlineCode = (text: string): string => {
  const line = onOneLine(text) || ' ';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
};
