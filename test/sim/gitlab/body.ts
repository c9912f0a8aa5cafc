import { badParameter } from './errors.ts';
import { unfold } from './parameters.ts';

/** `Grape::Exceptions::InvalidMessageBody`, which GL lib/api/api.rb shows as it is. */
const unreadable = [
  '',
  'Problem:',
  '  message body does not match declared format',
  'Resolution:',
  "  when specifying application/json as content-type, you must pass valid application/json in the request's 'body' ",
].join('\n');

const fromForm = async (bytes: Buffer, contentType: string): Promise<Record<string, unknown>> => {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  return unfold(form.entries());
};

/**
 * JSON, multipart (gitbeaker sends discussions with a position so, line ends as CR LF; forges.md 3.8) and URL-encoded
 * forms all end up as one tree of parameters.
 */
export const parseBody = async (bytes: Buffer, contentType: string | undefined): Promise<Record<string, unknown>> => {
  if (bytes.length === 0) return {};
  const type = contentType ?? 'application/x-www-form-urlencoded';
  try {
    if (type.startsWith('multipart/form-data')) return await fromForm(bytes, type);
    if (type.startsWith('application/x-www-form-urlencoded'))
      return unfold(new URLSearchParams(bytes.toString('utf8')).entries());
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    throw badParameter(unreadable);
  }
  throw badParameter(unreadable);
};
