import type { GrepNode, StructuralRule } from '../model/rule.ts';

export const RUBY = ['Ruby'] as const;

export const method = (name: string): GrepNode => ({ has: { field: 'method', regex: name } });
export const firstArgument = (node: GrepNode): GrepNode => ({
  has: { field: 'arguments', has: { nthChild: 1, pattern: '$ARGUMENT', all: [node] } },
});

/** Parameters of a request where a visitor must not choose them. */
export const RUBY_REQUEST_RULES: readonly StructuralRule[] = [
  {
    id: 'rb-dispatch-from-params',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Request parameter selects the class or method',
    explanation: 'A visitor can name any class or method of the program. Look the value up in a list of allowed names.',
    rule: {
      kind: 'call',
      any: [
        {
          all: [
            method('^(constantize|safe_constantize)$'),
            { has: { field: 'receiver', pattern: '$ARGUMENT', regex: '^params\\b' } },
          ],
        },
        { all: [method('^(send|public_send|const_get)$'), firstArgument({ regex: '^params\\b' })] },
      ],
      // A condition checks the name. Whether the parameter is present says nothing about it.
      not: {
        inside: {
          stopBy: 'end',
          any: ['if', 'if_modifier'].map((kind) => ({
            kind,
            has: {
              field: 'condition',
              regex: '\\b(include|respond_to|key|member)\\?[ (][^()]*\\bparams\\b|\\bparams\\b[^()]*\\.in\\?',
              not: { regex: '^\\(?\\s*(!|not\\b)' },
            },
          })),
        },
      },
      all: [
        // A branch for one of the names that a `case` lists.
        {
          not: {
            inside: {
              stopBy: 'end',
              kind: 'when',
              inside: { kind: 'case', has: { field: 'value', regex: '^params\\b' } },
            },
          },
        },
      ],
    },
    unlessChecked: 'ARGUMENT',
    mildIfCompared: true,
    examples: [
      {
        code: 'def create\n  all = case params[:type]\n        when "garden"\n          gardens\n        end\n  all << params[:type].constantize.find(1) if all\n  params[:kind].constantize.find(1)\nend\n',
        lines: [6, 7],
        mild: [6],
      },
      {
        code: 'def a\n  return head(404) unless NAMES.include?(params[:m])\n  record.send(params[:m])\n  record.send(params[:n])\nend\n',
        lines: [4],
      },
      {
        code: 'case params[:s]\nwhen "published", "trash"\n  @posts = @posts.send(params[:s])\nelse\n  @posts.send(params[:s])\nend\n',
        lines: [5],
      },
      { code: 'klass = params[:type].constantize\nrecord.send(params[:method])\n', lines: [1, 2] },
      { code: 'if params.key?(:method)\n  record.send(params[:method])\nend\n', lines: [2] },
      { code: 'unless NAMES.include?(params[:m])\n  send(params[:m])\nend\n', lines: [2] },
      { code: 'send(params[:m]) if !NAMES.include?(params[:m])\n', lines: [1] },
      { code: 'if ["drafts", "all"].include?(params[:m])\n  scoped = scoped.send(params[:m])\nend\n', lines: [] },
      { code: 'send(params[:m]) if params[:m].in?(NAMES)\nsend(params[:m]) if TABLE.key?(params[:m])\n', lines: [] },
      { code: 'klass = TYPES.fetch(params[:type])\nrecord.send(:save)\n', lines: [] },
    ],
  },
  {
    id: 'rb-mass-assignment',
    languages: RUBY,
    severity: 'P1',
    blocking: true,
    title: 'Mass assignment of all request parameters',
    explanation:
      'A visitor can set any attribute, such as `admin`. List the allowed attributes with `permit(:name, …)`.',
    rule: {
      kind: 'call',
      all: [method('^permit!$'), { has: { field: 'receiver', regex: '^params\\b' } }],
      any: [
        // The parameters of one record.
        { has: { field: 'receiver', regex: '^params(\\[|\\.(require|fetch)\\b)' } },
        {
          inside: {
            stopBy: 'end',
            kind: 'call',
            ...method('^(update|update!|create|create!|new|build|assign_attributes|update_attributes|insert|upsert)$'),
          },
        },
      ],
    },
    where: 'production',
    examples: [
      { code: 'user.update(params[:user].permit!)\nUser.create(params.permit!)\n', lines: [1, 2] },
      { code: 'link_to name, params.permit!.merge(page: 2)\n', lines: [] },
      { code: 'user.update(params.require(:user).permit(:name))\n', lines: [] },
    ],
  },
];
