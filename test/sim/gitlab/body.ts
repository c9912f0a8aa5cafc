import { badParameter } from './errors.ts';
import { unfold } from './parameters.ts';

/** `Grape::Exceptions::InvalidMessageBody`, which GL lib/api/api.rb returns unchanged. */
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
 * Parses JSON, multipart and URL-encoded forms into one tree of parameters. gitbeaker sends discussions with a position
 * as multipart, with CR LF line ends (forges.md 3.8).
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
