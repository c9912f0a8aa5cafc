/** The text format of Prometheus, as far as the services write it. */
export type MetricSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const LINE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>[^}]*)\})? (?<value>\S+)$/;

const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));

export const parseMetrics = (text: string): readonly MetricSample[] =>
  text.split('\n').flatMap((line) => {
    const { name, labels = '', value } = LINE.exec(line)?.groups ?? {};
    return name === undefined || line.startsWith('#') ? [] : [{ name, labels: labelsIn(labels), value: Number(value) }];
  });

type Wanted = Readonly<Record<string, string>>;

export const samplesOf = (
  samples: readonly MetricSample[],
  name: string,
  wanted: Wanted = {},
): readonly MetricSample[] =>
  samples.filter(
    (sample) =>
      sample.name === name && Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
  );

/** The sum over all processes. */
export const sumOf = (samples: readonly MetricSample[], name: string, wanted: Wanted = {}): number =>
  samplesOf(samples, name, wanted).reduce((sum, { value }) => sum + value, 0);

/** Values by their labels other than `service`; a value of 0 is left out. */
export const countOf = (
  samples: readonly MetricSample[],
  name: string,
  wanted: Wanted = {},
): Record<string, number> => {
  const counted: Record<string, number> = {};
  for (const { labels, value } of samplesOf(samples, name, wanted)) {
    const { service: _service, ...rest } = labels;
    const key = Object.entries(rest)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([label, each]) => `${label}=${each}`)
      .join(' ');
    if (value !== 0) counted[key] = (counted[key] ?? 0) + value;
  }
  return counted;
};
