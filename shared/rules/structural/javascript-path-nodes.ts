/** Where a path comes from, and what reads or sends a file. */
import type { GrepNode } from '../model/rule.ts';
import { FUNCTION_KINDS, FUNCTIONS, kinds } from './javascript/function-nodes.ts';
import { flowUtils, FROM_SOURCE, reachedWithoutGuard, type LocalFlow } from './local-flow.ts';

const FLOW: LocalFlow = {
  functions: FUNCTION_KINDS,
  identifier: 'identifier',
  composed: [
    'binary_expression',
    'template_string',
    'template_substitution',
    'call_expression',
    'arguments',
    'parenthesized_expression',
  ],
  assigned: (name, value) => ({
    any: [
      {
        kind: 'variable_declarator',
        all: [
          {
            has: {
              field: 'name',
              any: [name, { kind: 'object_pattern', has: { ...name, kind: 'shorthand_property_identifier_pattern' } }],
            },
          },
          { has: { field: 'value', ...value } },
        ],
      },
      {
        kind: 'assignment_expression',
        all: [{ has: { field: 'left', ...name } }, { has: { field: 'right', ...value } }],
      },
    ],
  }),
  partOf: (variable) => ({
    kind: 'member_expression',
    all: [
      { has: { field: 'property', regex: '^(path|pathname|query|search)$' } },
      { has: { field: 'object', ...variable } },
    ],
  }),
  converted: '\\bparse\\(|\\bnew URL\\(|\\bdecodeURI(Component)?\\(',
};
const SOURCE =
  '\\b(\\w*[rR]eq(uest)?|incoming|ctx|ctx\\.request)\\.(params|query|body|url|originalUrl|path)\\b|\\bsearchParams\\.get\\(';
/** A test of the address itself chooses what to do with it. It does not look at the path of the file. */
const TESTED =
  '([^lt]|[^rR]l|[^uU][rR]l|[^s]t|[^o]st)\\.(startsWith\\(|indexOf\\(([^\'"`)e]|[\'"`](\\.\\.|/|\\\\))|includes\\(([^\'"`)e]|`\\$\\{))|indexOf\\([\'"`]\\.\\.';
const CONVERTED = '\\b(Number|parseInt|isNaN)\\([^()]*(?i:params|query|body|id\\b|num|index|page)';
/** The base name is taken, and not only tested for a dot at its beginning. */
const BASE_NAME = '([^(.\\w]|[^t]\\()((?i:path)\\.)?basename\\([^()]*(?i:url|uri|path|name|file|req|query|param)';
export const GUARD = `['"\`/]\\.\\.[/\\\\]{0,2}['"\`]|\\\\\\.\\\\\\.|${TESTED}|${CONVERTED}|${BASE_NAME}|\\.relative\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|[^e]validate|resolvePath|safeJoin)|\\broot:`;

/** Another function of the file, such as the caller, looks at the path. */
export const FILE_GUARD =
  '[\'"`/]\\.\\.[/\\\\]{0,2}[\'"`]|\\\\\\.\\\\\\.|startsWith\\([^\'"`]|indexOf\\(\\w*(?i:root|dir|folder|base)|(basename|normalize)\\([^()]*(?i:url|uri|pathname|name|file|req|query|param)|\\.relative\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|resolvePath|safeJoin)';
export const SERVED_GUARD = 'startsWith\\(|indexOf\\([\\w$]+\\)|(?i:[^e]validate)|\\broot:';

const named = (function_: string): GrepNode => ({
  any: [
    { has: { field: 'name', pattern: function_ } },
    {
      inside: {
        any: [
          { kind: 'variable_declarator', has: { field: 'name', pattern: function_ } },
          { kind: 'pair', has: { field: 'key', pattern: function_ } },
          {
            kind: 'assignment_expression',
            has: { field: 'left', any: [{ pattern: function_ }, { has: { field: 'property', pattern: function_ } }] },
          },
        ],
      },
    },
  ],
});
const parameter = (position: number, name: string): GrepNode => ({
  any: [
    {
      has: {
        field: 'parameters',
        has: { nthChild: position, any: [{ pattern: name }, { has: { field: 'pattern', pattern: name } }] },
      },
    },
    ...(position === 1 ? [{ has: { field: 'parameter', pattern: name } }] : []),
  ],
});
/** The text of the functions around the node mentions the request, and no check. */
export const UNGUARDED: GrepNode = { matches: 'unguarded' };
/** The function is called with a value of the request at that position, in the same file. */
const calledWithRequest = (position: number): GrepNode => ({
  inside: {
    stopBy: 'end',
    kind: 'program',
    has: {
      stopBy: 'end',
      kind: 'call_expression',
      all: [
        {
          has: { field: 'function', any: [{ pattern: '$CALLED' }, { has: { field: 'property', pattern: '$CALLED' } }] },
        },
        { has: { field: 'arguments', has: { nthChild: position, ...FROM_SOURCE } } },
        UNGUARDED,
      ],
    },
  },
});
/** A parameter to which a value of the request is passed. */
const PASSED: GrepNode = {
  kind: 'identifier',
  pattern: '$PASSED',
  inside: {
    stopBy: 'end',
    ...FUNCTIONS,
    not: { regex: GUARD },
    all: [
      named('$CALLED'),
      { any: [1, 2, 3, 4].map((position) => ({ all: [parameter(position, '$PASSED'), calledWithRequest(position)] })) },
    ],
  },
};
const composedOf = (node: GrepNode): GrepNode => ({
  ...kinds(FLOW.composed),
  has: { stopBy: { not: kinds(FLOW.composed) }, ...node },
});
/** The node itself, an expression composed of it, or a variable of the same function with such a value. */
export const madeOf = (node: GrepNode): GrepNode => ({
  any: [
    node,
    composedOf(node),
    {
      kind: 'identifier',
      pattern: '$MADE',
      inside: {
        stopBy: 'end',
        ...FUNCTIONS,
        has: {
          stopBy: 'end',
          ...FLOW.assigned({ kind: 'identifier', pattern: '$MADE' }, { any: [node, composedOf(node)] }),
        },
      },
    },
  ],
});

const FS =
  '(_?fs\\d?|FS|Fs|fsp|fse|fsPromises|fs\\.promises|_?fs(_?\\d)?\\.default|fs_\\d|files?|fileSystem|require\\(.fs.\\))';
export const FILE_READ: GrepNode = {
  has: { field: 'function', regex: `^(${FS}\\.)?(readFile|readFileSync|createReadStream)$` },
};
export const FILE_USED: GrepNode = {
  has: {
    field: 'function',
    regex: `^(${FS}\\.)?(readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|unlink|unlinkSync|rm|rmSync|readdir|readdirSync)$|^${FS}\\.(open|openSync|ReadStream)$|^(res|response|reply)\\.(sendFile|sendfile|download)$`,
  },
};
export const withFirstArgument = (node: GrepNode): GrepNode => ({
  has: { field: 'arguments', has: { nthChild: 1, ...node } },
});
export const PASSED_ON: GrepNode = withFirstArgument(madeOf({ matches: 'passed' }));
/** A property, to which a path with text of the request is assigned in the same file. */
const KEPT: GrepNode = {
  kind: 'member_expression',
  // In this order, because the second looks for the name that the first binds.
  all: [
    { has: { field: 'property', pattern: '$KEPT' } },
    {
      inside: {
        stopBy: 'end',
        kind: 'program',
        has: {
          stopBy: 'end',
          kind: 'assignment_expression',
          all: [
            { has: { field: 'left', kind: 'member_expression', has: { field: 'property', pattern: '$KEPT' } } },
            { has: { field: 'right', regex: 'path\\.(join|resolve|normalize)\\(|\\+', ...FROM_SOURCE } },
            UNGUARDED,
          ],
        },
      },
    },
  ],
};
/** Some packages read a file by its path and send it. */
export const SENDS_FILE: GrepNode = {
  not: FILE_USED,
  has: { field: 'function', kind: 'identifier' },
  inside: { kind: 'member_expression', inside: { regex: '\\.pipe\\((res|resp|response|reply)\\)$' } },
};
/** The engine limits how deep a rule may be. */
export const FROM_REQUEST = {
  ...flowUtils(SOURCE, FLOW),
  passed: PASSED,
  unguarded: reachedWithoutGuard(SOURCE, GUARD, FLOW),
};
export const UTILS = { ...FROM_REQUEST, kept: KEPT };

/** The function, or one around it, sends something to the client. */
export const SENDS: GrepNode = {
  inside: {
    stopBy: 'end',
    ...FUNCTIONS,
    regex:
      '\\b(res|resp|response|reply)\\.(write|end|send|writeHead|setHeader|set|header|status|type)\\b|\\.pipe\\((res|resp|response|reply)\\b',
  },
};
const IS_PARAMETER: GrepNode = { any: [1, 2, 3, 4].map((position) => parameter(position, '$GIVEN')) };
/** A parameter, a property of one, or one of such a property that a variable holds. */
export const GIVEN: GrepNode = {
  any: [
    {
      any: [
        { kind: 'identifier', pattern: '$GIVEN' },
        { kind: 'member_expression', has: { field: 'object', kind: 'identifier', pattern: '$GIVEN' } },
      ],
      inside: { stopBy: 'end', ...FUNCTIONS, all: [IS_PARAMETER] },
    },
    {
      kind: 'member_expression',
      all: [
        { has: { field: 'object', kind: 'identifier', pattern: '$HELD' } },
        {
          inside: {
            stopBy: 'end',
            ...FUNCTIONS,
            all: [
              {
                has: {
                  stopBy: 'end',
                  kind: 'variable_declarator',
                  all: [
                    { has: { field: 'name', pattern: '$HELD' } },
                    {
                      has: {
                        field: 'value',
                        kind: 'member_expression',
                        has: { field: 'object', kind: 'identifier', pattern: '$GIVEN' },
                      },
                    },
                  ],
                },
              },
              IS_PARAMETER,
            ],
          },
        },
      ],
    },
  ],
};
