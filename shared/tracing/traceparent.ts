/** https://www.w3.org/TR/trace-context/#traceparent-header */
const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export type TraceParent = { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };

export const formatTraceParent = ({ traceId, spanId, traceFlags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** Returns null for anything else, which then has no effect. */
export const parseTraceParent = (text: unknown): TraceParent | null => {
  const [, traceId, spanId, flags] = FORM.exec(typeof text === 'string' ? text : '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
};
