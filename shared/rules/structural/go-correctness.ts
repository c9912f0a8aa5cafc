import type { StructuralRule } from '../model/rule.ts';

const GO = ['Go'] as const;

export const GO_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'go-unchecked-error',
    languages: GO,
    severity: 'P2',
    blocking: true,
    title: 'Returned error is not checked',
    explanation:
      'If this call fails, the program continues with missing or half-written data. Check the error, or assign it to `_` with a comment that says why.',
    rule: {
      kind: 'expression_statement',
      regex:
        '^(json\\.Unmarshal|yaml\\.Unmarshal|xml\\.Unmarshal|json\\.NewDecoder\\([^()]*\\)\\.Decode|json\\.NewEncoder\\([^()]*\\)\\.Encode|os\\.(WriteFile|Rename|MkdirAll|Mkdir|Chmod|Chown|Truncate|Symlink)|ioutil\\.WriteFile|io\\.ReadFull|tx\\.Commit)\\(',
      // The status of an answer is sent already, so its client alone can see a failure; and a buffer takes everything.
      not: {
        regex:
          '^json\\.NewEncoder\\((&\\w+|w|rw|[rR]es|[rR]esp|[rR]esponse|\\w*[wW]riter|\\w*[bB]uf(fer)?|(c|ctx|context)\\.(Writer|Response\\(\\)))\\)\\.Encode\\(',
      },
    },
    where: 'production',
    examples: [
      {
        code: 'package a\n\nfunc f(w http.ResponseWriter) {\n\tjson.NewEncoder(w).Encode(v)\n\tvar b bytes.Buffer\n\tjson.NewEncoder(&b).Encode(v)\n\tjson.NewEncoder(file).Encode(v)\n}\n',
        lines: [7],
      },
      { code: 'package a\n\nfunc f(b []byte) {\n\tjson.Unmarshal(b, &v)\n}\n', lines: [4] },
      { code: 'package a\n\nfunc f() error {\n\ttx.Commit()\n\treturn nil\n}\n', lines: [4] },
      {
        code: 'package a\n\nfunc f(b []byte) error {\n\t_ = os.Rename(a, b)\n\tdefer file.Close()\n\treturn json.Unmarshal(b, &v)\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-discarded-error',
    languages: GO,
    severity: 'P2',
    blocking: true,
    title: 'Returned error is discarded',
    explanation:
      'If this call fails, its first result is nil or zero and the failure surfaces somewhere else. Check the error.',
    rule: {
      any: [{ kind: 'short_var_declaration' }, { kind: 'assignment_statement' }],
      all: [
        { has: { field: 'left', regex: '^\\w+\\s*,\\s*_$', not: { regex: '^_' } } },
        {
          has: {
            field: 'right',
            regex:
              '^(os\\.(Open|OpenFile|Create|ReadFile|ReadDir|Stat)|http\\.(Get|Post)|io\\.ReadAll|ioutil\\.(ReadAll|ReadFile)|url\\.Parse|time\\.(Parse|ParseDuration)|sql\\.Open|exec\\.LookPath|net\\.(Dial|Listen)|regexp\\.Compile|template\\.New\\(.*\\)\\.Parse)\\(',
            // The code itself contains the text of such an address or expression.
            not: { regex: '^(url\\.Parse|regexp\\.Compile)\\(\\s*("|`|fmt\\.)' },
          },
        },
      ],
      // The text of an answer that is already known to be an error.
      not: {
        inside: { kind: 'if_statement', stopBy: 'end', has: { field: 'condition', regex: 'StatusCode|\\berr\\s*!=' } },
      },
    },
    where: 'production',
    silentIf: 'explained',
    examples: [
      { code: 'package a\n\nfunc f() {\n\tresponse, _ := http.Get(url)\n\tuse(response)\n}\n', lines: [4] },
      {
        code: 'package a\n\nfunc f() error {\n\tre, _ := regexp.Compile(`\\w*api/`)\n\treq, _ := http.NewRequest("GET", address, nil)\n\tif response.StatusCode != 200 {\n\t\ttext, _ := io.ReadAll(response.Body)\n\t\treturn errors.New(string(text))\n\t}\n\treturn use(re, req)\n}\n',
        lines: [],
      },
      {
        code: 'package a\n\nfunc f() {\n\tvalue, _ := cache[key]\n\tcount, _ := strconv.Atoi(match[1])\n\tname, err := os.ReadFile(path)\n\tuse(value, count, name, err)\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-empty-error-block',
    languages: GO,
    severity: 'P2',
    blocking: true,
    title: 'Empty block swallows the error',
    explanation:
      'The error is detected and then ignored. Return or log the error, or explain in a comment inside the block why it can be ignored.',
    rule: {
      kind: 'if_statement',
      all: [
        { has: { field: 'condition', regex: '^\\w*(?i:err)\\w*\\s*!=\\s*nil$' } },
        { has: { field: 'consequence', regex: '^\\{\\s*\\}$' } },
      ],
    },
    silentIf: 'explained',
    examples: [
      { code: 'package a\n\nfunc f() {\n\tif err := run(); err != nil {\n\t}\n}\n', lines: [4] },
      {
        code: 'package a\n\nfunc f() {\n\tif err != nil {\n\t\t// the peer has gone: nobody to tell\n\t}\n\tif err != nil {\n\t\treturn\n\t}\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-defer-in-loop',
    languages: GO,
    severity: 'P2',
    blocking: true,
    title: 'defer in a loop runs only when the function returns',
    explanation:
      'Files, connections or locks accumulate until the function returns. Move the loop body into a function, or release the resource at the end of each iteration.',
    rule: {
      kind: 'defer_statement',
      regex: '\\.(Close|Unlock|RUnlock|Release|Rollback)\\(\\)$',
      inside: { kind: 'for_statement', stopBy: { any: [{ kind: 'func_literal' }, { kind: 'function_declaration' }] } },
    },
    examples: [
      {
        code: 'package a\n\nfunc f() {\n\tfor _, name := range names {\n\t\tfile, err := os.Open(name)\n\t\tdefer file.Close()\n\t\tuse(file, err)\n\t}\n}\n',
        lines: [6],
      },
      {
        code: 'package a\n\nfunc f() {\n\tdefer lock.Unlock()\n\tfor _, name := range names {\n\t\tfunc() {\n\t\t\tdefer file.Close()\n\t\t}()\n\t}\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'go-skipped-test',
    languages: GO,
    severity: 'P3',
    blocking: false,
    title: 'Test is skipped without a reason',
    explanation:
      'A skipped test checks nothing and is easily forgotten. Give the reason and the condition for enabling it again.',
    rule: {
      any: [{ pattern: 't.Skip()' }, { pattern: 't.SkipNow()' }],
      not: {
        inside: { kind: 'if_statement', stopBy: 'end', has: { field: 'condition', regex: 'testing\\.Short\\(' } },
      },
      inside: {
        kind: 'expression_statement',
        inside: { stopBy: 'neighbor', any: [{ kind: 'block' }, { kind: 'statement_list' }] },
      },
    },
    examples: [
      { code: 'package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip()\n}\n', lines: [4] },
      { code: 'package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip("needs a database, see #12")\n}\n', lines: [] },
      { code: 'package a\n\nfunc TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n', lines: [] },
    ],
  },
];
