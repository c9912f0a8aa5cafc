/** `2026-08-01 09:30 UTC`. @throws RangeError for a time that no date has. */
export const utcMinute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `2026-08-01T09:30:00Z`, as the review-loop protocol writes times. @throws RangeError as above. */
export const utcSecond = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}/, '');
