/** Returns a string such as `2026-08-01 09:30 UTC`. @throws RangeError if the time is outside the range of dates. */
export const utcMinute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Returns the protocol's time format, such as `2026-08-01T09:30:00Z`. @throws RangeError if the time is outside the range of dates. */
export const utcSecond = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}/, '');
