/** Words by which code says that a value comes from outside: requests, messages, and arguments of the program. */
import type { GrepLanguage } from '../model/rule.ts';

/** Words that mean nothing else, whatever is written beside them. */
const CERTAIN =
  /(?:^|[^a-z])(?:req|requests?|argv|cookies?|form_?data|uploads?|recv|post_?data|user_?agent|referr?er|kwargs|user_?[iI]nput|untrusted)(?![a-z])|(?:Request|Cookies?|Upload|UserAgent|FormValue|PathValue|PostForm)(?![a-z])|\bmux\.Vars\(|\br\.(?:Form|URL)\b|\bos\.Args\b|\bARG[VF]\b|\breceive_?(?:text|json|bytes|Text|Parameters)?\(|\bstdin\b|\bSTDIN\b|\bSystem\.in\b|\.nextLine\(\)|\b(?:e|ev|evt)\.data\b|\bevent\.(?:data|target|currentTarget|relatedTarget|body|queryStringParameters)\b|\blocation\.(?:hash|search|href)\b|\$_(?:GET|POST|REQUEST|COOKIE|FILES|SERVER)\b|->(?:get_)?input(?:->(?:get|post|cookie|request|server)\(|\[|\()|\b(?:c|ctx|context)\.(?:Query|Param|DefaultQuery)\(|\bcall\.(?:parameters|receive)\b|\b(?:get_?|get_?query_?)(?:[aA]rgument|[pP]aram(?:eter)?)[sS]?(?:Map|Values)?\(/;

const WORDS = '(?:params?|query|queries|body|payload|input|args|arguments?|headers?|form|socket|packet)';
/**
 * Words that also name what a program makes itself, such as a query to a database. They count as a property of another
 * object (`ctx.query`), and where something is taken out of them (`params[:name]`).
 */
const PROPERTY = new RegExp(`(?<!\\b(?:this|self|cls)|\\$this)(?:\\?\\.|\\.|->|::)${WORDS}(?![\\w(])`, 'i');
const TAKEN_OUT = new RegExp(`(?:^|[^\\w$.>])${WORDS}(?:\\?\\.|!?\\.|\\[)[\\w"':\\[]`, 'i');
const ENDS_WITH_WORD =
  /(?:^|[^\w$.>])\w{1,60}(?:Params|Query|Body|Payload|Input|Headers)(?:\?\.|!?\.|\[)[\w"']|\bparams\.expect\(/;

/** A call that reads a database. What it returns does not come from the request that it was asked for. */
const READS_DATABASE =
  /^[^()]{0,120}?(?:->|\.|::|\b)(?:fetch_?(?:array|assoc|row|object|all|one|field|column|val|both|map)\w{0,20}|query(?:Row|Map|For\w{1,20})?|prepare|execute(?:Query)?|simple_select|get_(?:row|var|results|col)|(?:mysqli?|pg|sqlite|sqlsrv)_\w{1,30}|db_\w{1,30}|find(?:By\w{1,40}|One|All|First)|find_by(?:_\w{1,40})?)\s{0,3}\(/i;

/** Whether the text, without the content of its strings, has such a word. */
export const saysOutside = (text: string, language: GrepLanguage): boolean =>
  CERTAIN.test(text) ||
  PROPERTY.test(text) ||
  (language !== 'Php' && (TAKEN_OUT.test(text) || ENDS_WITH_WORD.test(text)));

/** Whether the value is what a database holds. A word before the call, as in `request.query(…)`, says something else. */
export const readsDatabase = (text: string): boolean => {
  const [call] = READS_DATABASE.exec(text) ?? [];
  return call !== undefined && !CERTAIN.test(call);
};
