/** The network policies allow what each service needs, and nothing else. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readProjectFile } from '../../conventions/source.ts';
import { healthPort, peersOf, SERVICES } from '../service-facts.ts';
import { type Manifest, ofKind, one, OVERLAY_NAMES, type Overlay, rendered } from './rendered.ts';

const labelsOf = (component: string): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': 'fixpoint',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': 'fixpoint',
});

const selects = (selector: Manifest, labels: Readonly<Record<string, string>>): boolean => {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }: Manifest) => operator === 'In' && values.includes(labels[key]))
  );
};

/** The policies for one component, without the prefix of their names. */
const policiesOf = (overlay: Overlay, component: string): readonly string[] =>
  ofKind(rendered(overlay), 'NetworkPolicy')
    .filter(({ spec }) => selects(spec.podSelector, labelsOf(component)))
    .map(({ metadata }) => metadata.name.replace('fixpoint-', ''));

/** The policies that let the ingress controller in. */
const WEBHOOKS = { ingress: ['webhooks'] };
const FROM_OUTSIDE: Readonly<Record<Overlay, Readonly<Partial<Record<string, readonly string[]>>>>> = {
  small: WEBHOOKS,
  production: WEBHOOKS,
  everything: { ...WEBHOOKS, console: ['console'] },
};

const POLICY_OF = { Redis: 'redis-out', forges: 'forges', models: 'models', receivers: 'receivers' } as const;

describe.each(OVERLAY_NAMES)('the network of %s', (overlay) => {
  it('is closed for every pod, in both directions', () => {
    const { spec } = one(rendered(overlay), 'NetworkPolicy', 'fixpoint-nothing');
    expect(spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'fixpoint' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    const pods = ['Deployment', 'StatefulSet'].flatMap((kind) => ofKind(rendered(overlay), kind));
    for (const pod of pods) expect(selects(spec.podSelector, pod['spec'].template.metadata.labels)).toBe(true);
  });

  it.each(SERVICES)('lets the %s reach its peers and no others', (name) => {
    const inward = [...(FROM_OUTSIDE[overlay]?.[name] ?? []), 'metrics'];
    const outward = peersOf(name).map((peer) => POLICY_OF[peer]);
    expect(policiesOf(overlay, name).toSorted()).toEqual(['nothing', 'names', ...inward, ...outward].toSorted());
  });

  it('lets doctor reach the peers of all services, and nobody reach doctor', () => {
    const peers = [...new Set(SERVICES.flatMap(peersOf))].map((peer) => POLICY_OF[peer]);
    expect(policiesOf(overlay, 'doctor').toSorted()).toEqual(['nothing', 'names', ...peers].toSorted());
  });

  it('reaches no private address but that of Redis', () => {
    for (const name of ['forges', 'models', 'receivers']) {
      const [{ to, ports }] = one(rendered(overlay), 'NetworkPolicy', `fixpoint-${name}`)['spec'].egress;
      expect(ports).toEqual([{ port: 443, protocol: 'TCP' }]);
      const [four] = to.map(({ ipBlock }: Manifest) => ipBlock);
      expect(four.except).toEqual(
        expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']),
      );
    }
  });

  it('opens exactly the ports that serve metrics', () => {
    const [{ ports }] = one(rendered(overlay), 'NetworkPolicy', 'fixpoint-metrics')['spec'].ingress;
    const open = ports.flatMap(({ port, endPort = port }: Manifest) =>
      Array.from({ length: endPort - port + 1 }, (_, index) => port + index),
    );
    expect(new Set(open)).toEqual(new Set(SERVICES.map(healthPort)));
  });
});

describe('the Redis of a cluster', () => {
  it('is reached by the services, and reaches nothing but names', () => {
    expect(policiesOf('small', 'redis').toSorted()).toEqual(['names', 'nothing', 'redis-in']);
    const [{ from, ports }] = one(rendered('small'), 'NetworkPolicy', 'fixpoint-redis-in')['spec'].ingress;
    for (const name of [...SERVICES, 'doctor']) expect(selects(from[0].podSelector, labelsOf(name))).toBe(true);
    expect(selects(from[0].podSelector, labelsOf('redis'))).toBe(false);
    expect(ports).toEqual([{ port: 6379, protocol: 'TCP' }]);
  });
});

describe('the console', () => {
  it('is reached by the same namespace as the webhooks, at the port of its page only', () => {
    const [console, webhooks] = ['console', 'webhooks'].map(
      (name) => one(rendered('everything'), 'NetworkPolicy', `fixpoint-${name}`)['spec'].ingress,
    );
    expect(console).toEqual(webhooks);
    expect(console[0].ports).toEqual([{ port: 'http', protocol: 'TCP' }]);
  });
});

describe('monitoring', () => {
  it('reads the metrics of every service once', () => {
    const monitors = ofKind(rendered('everything'), 'PodMonitor');
    const read = SERVICES.map((name) => {
      const pod = one(rendered('everything'), 'Deployment', `fixpoint-${name}`)['spec'].template;
      const found = monitors.filter(({ spec }) => selects(spec.selector, labelsOf(name)));
      const ports = found.flatMap(({ spec }) => spec.podMetricsEndpoints.map(({ port }: Manifest) => port));
      const numbers = ports.map((port) => pod.spec.containers[0].ports.find((each: Manifest) => each['name'] === port));
      return [name, numbers.map(({ containerPort }) => containerPort)];
    });
    expect(read).toEqual(SERVICES.map((name) => [name, [healthPort(name)]]));
  });

  it('names the job as the alerts expect, and the service also where a process does not answer', () => {
    const endpoints = ofKind(rendered('everything'), 'PodMonitor').flatMap(({ spec }) => spec.podMetricsEndpoints);
    expect(endpoints.map(({ honorLabels, relabelings }) => ({ honorLabels, relabelings }))).toEqual(
      Array.from({ length: 2 }, () => ({
        honorLabels: true,
        relabelings: [
          { targetLabel: 'job', replacement: 'fixpoint' },
          { sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'], targetLabel: 'service' },
        ],
      })),
    );
  });

  it('without the operator reads the same ports, and no page', () => {
    const numbers = podsOf('everything').flatMap(({ component, ports }) =>
      ports.filter(({ name }) => isScraped(component, name)).map(({ containerPort }) => [component, containerPort]),
    );
    expect(numbers).toHaveLength(SERVICES.length);
    expect(Object.fromEntries(numbers)).toEqual(Object.fromEntries(SERVICES.map((name) => [name, healthPort(name)])));
  });
});

type Port = { readonly name: string; readonly containerPort?: number };
type Pod = { readonly component: string; readonly ports: readonly Port[] };

/** Prometheus makes one target of each port, and one without a port of a container that has none. */
const podsOf = (overlay: Overlay): readonly Pod[] =>
  ['Deployment', 'StatefulSet', 'CronJob'].flatMap((kind) =>
    ofKind(rendered(overlay), kind).map(({ spec }) => {
      const { metadata, spec: pod } = (spec.jobTemplate?.spec ?? spec).template;
      const { ports = [{ name: '' }] } = pod.containers[0];
      return { component: metadata.labels['app.kubernetes.io/component'], ports };
    }),
  );

const COMPONENT = '__meta_kubernetes_pod_label_app_kubernetes_io_component';
const PORT = '__meta_kubernetes_pod_container_port_name';

/** As `keep` decides: the values joined by a semicolon, against the anchored expression. */
const isScraped = (component: string, port: string): boolean => {
  const config = parse(readProjectFile('deploy/prometheus/prometheus-kubernetes.yml'));
  const keeps = config.scrape_configs[0].relabel_configs.filter(
    ({ action, source_labels: labels }: Manifest) => action === 'keep' && labels.includes(PORT),
  );
  const values: Readonly<Record<string, string>> = { [COMPONENT]: component, [PORT]: port };
  return keeps.every(({ source_labels: labels, regex }: Manifest) =>
    new RegExp(`^(?:${regex})$`).test(labels.map((label: string) => values[label]).join(';')),
  );
};
