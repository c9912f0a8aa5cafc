/** What each service needs is in its manifests, as in docker-compose.yml, and nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { containerEnvs } from '../../../services/cli/setup/plan/container-env.ts';
import { kubernetesSecrets } from '../../../services/cli/setup/plan/kubernetes-secrets.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { SERVICE_NEEDS, secretVariables } from '../../../shared/config/service-needs.ts';
import { DEFAULT_DEADLINE_MS } from '../../../shared/runtime/shutdown.ts';
import { readProjectFile } from '../../conventions/source.ts';
import { PROJECT_ROOT, trackedFiles } from '../../support/tracked-files.ts';
import { pairsOf, parseDockerfile } from '../dockerfile.ts';
import { everything, healthPort, runsCages, SERVICES } from '../service-facts.ts';
import { type Manifest, MANIFESTS, ofKind, one, OVERLAY_NAMES, type Overlay, rendered } from './rendered.ts';

const compose: { readonly services: Readonly<Record<string, Manifest>> } = parse(
  readProjectFile('docker-compose.yml'),
  {
    merge: true,
  },
);
const image = parseDockerfile(readProjectFile('deploy/Dockerfile')).at(-1);
const all = rendered('everything');

const workload = (name: string): Manifest =>
  name === 'redis' ? one(all, 'StatefulSet', 'fixpoint-redis') : one(all, 'Deployment', `fixpoint-${name}`);
const podOf = (name: string): Manifest =>
  name === 'doctor'
    ? one(all, 'CronJob', 'fixpoint-doctor')['spec'].jobTemplate.spec.template
    : workload(name)['spec'].template;
const containerOf = (name: string): Manifest => podOf(name)['spec'].containers[0];
const volumeOf = (name: string, volume: string): Manifest | undefined =>
  podOf(name)['spec'].volumes.find((each: Manifest) => each['name'] === volume);

/** `512m` of Docker and `512Mi` of Kubernetes, in MiB. */
const mebibytes = (text: string): number => {
  const [, count = '', unit = ''] = /^(\d+)([mgMG])i?$/.exec(text) ?? [];
  return Number(count) * (unit.toLowerCase() === 'g' ? 1024 : 1);
};

describe.each(SERVICES)('the %s', (name) => {
  it('runs the same command from the same image as with Docker', () => {
    const { image: of, args, command } = containerOf(name);
    expect({ of, args, command }).toEqual({
      of: compose.services[name]?.['image'],
      args: compose.services[name]?.['command'],
      command: undefined,
    });
  });

  it('has the variables of its own Secret, which has all that it needs and no others', () => {
    const { env, envFrom } = containerOf(name);
    expect({ env, envFrom }).toEqual({ env: undefined, envFrom: [{ secretRef: { name: `fixpoint-${name}` } }] });
    const values = secretVariables(everything, Object.values(SERVICE_NEEDS).flat());
    const known = { all: Object.fromEntries(values.map((each) => [each, 'value'])), inFile: {} };
    const { items }: { items: readonly Manifest[] } = JSON.parse(kubernetesSecrets(containerEnvs(everything, known)));
    const own = items.find(({ metadata }) => metadata.name === `fixpoint-${name}`);
    expect(Object.keys(own?.['stringData']).toSorted()).toEqual(
      [...secretVariables(everything, SERVICE_NEEDS[name])].toSorted(),
    );
  });

  it('opens the ports that it listens on', () => {
    const ports = containerOf(name)['ports'].map(({ containerPort }: Manifest) => containerPort);
    const listens = pairsOf(image, 'ENV')['FIXPOINT_CONSOLE_LISTEN']?.split(':')[1];
    expect(ports).toEqual(name === 'console' ? [Number(listens), healthPort(name)] : [healthPort(name)]);
  });

  it('is probed at its own health routes, with more time than a check takes', () => {
    const { startupProbe, readinessProbe, livenessProbe, ports } = containerOf(name);
    const target = (probe: Manifest) => {
      const { port, path } = probe['httpGet'];
      return [ports.find((each: Manifest) => each['name'] === port)?.containerPort, path];
    };
    expect([startupProbe, readinessProbe, livenessProbe].map(target)).toEqual([
      [healthPort(name), '/healthz'],
      [healthPort(name), '/readyz'],
      [healthPort(name), '/healthz'],
    ]);
    // `/readyz` takes up to two seconds.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(2);
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(300);
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBeGreaterThanOrEqual(60);
  });

  it('has more time to drain than it takes', () => {
    const preStop = Number(containerOf(name)['lifecycle']?.preStop.exec.command[1] ?? 0);
    const graceS = podOf(name)['spec'].terminationGracePeriodSeconds;
    expect(graceS).toBeGreaterThan(preStop + DEFAULT_DEADLINE_MS / 1000);
    // Only those that a Service leads to receive requests after the signal to end.
    expect(preStop).toBe(name === 'ingress' || name === 'console' ? 5 : 0);
  });

  it('is spread, moved one by one, and found by its own labels', () => {
    const labels = { 'app.kubernetes.io/name': 'fixpoint', 'app.kubernetes.io/component': name };
    expect(workload(name)['spec'].selector.matchLabels).toEqual(labels);
    expect(podOf(name)['metadata'].labels).toMatchObject({ ...labels, 'app.kubernetes.io/part-of': 'fixpoint' });
    expect(podOf(name)['spec'].topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(labels);
    expect(one(all, 'PodDisruptionBudget', `fixpoint-${name}`)['spec']).toEqual({
      maxUnavailable: 1,
      selector: { matchLabels: labels },
    });
  });

  it('has a disk for mirrors only if it fetches code, as with Docker', () => {
    const mounts = containerOf(name)['volumeMounts'].map(({ mountPath }: Manifest) => mountPath);
    const data = compose.services[name]?.['volumes'].includes('/app/.fixpoint-data') ? ['/app/.fixpoint-data'] : [];
    expect(mounts).toEqual(['/app/fixpoint.toml', '/tmp', ...data]);
    expect(volumeOf(name, 'data') === undefined).toBe(!runsCages(name));
  });
});

const CONTAINERS = [...SERVICES, 'doctor', 'redis'] as const;

describe.each(CONTAINERS)('the pod of %s', (name) => {
  it('has no token of the cluster, no variables of other services, and an account of its own', () => {
    const { serviceAccountName, automountServiceAccountToken, enableServiceLinks } = podOf(name)['spec'];
    const found = { serviceAccountName, automountServiceAccountToken, enableServiceLinks };
    expect(found).toEqual({
      serviceAccountName: `fixpoint-${name}`,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    });
    expect(one(all, 'ServiceAccount', `fixpoint-${name}`)['automountServiceAccountToken']).toBe(false);
  });

  it('may do nothing but what its service or its cage needs', () => {
    expect(containerOf(name)['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const cage = runsCages(name) || name === 'doctor';
    const uid = name === 'redis' ? 999 : 1000;
    expect(podOf(name)['spec'].securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: uid,
      fsGroup: uid,
      ...(cage
        ? {
            seccompProfile: { type: 'Localhost', localhostProfile: 'fixpoint.json' },
            appArmorProfile: { type: 'Unconfined' },
          }
        : { seccompProfile: { type: 'RuntimeDefault' } }),
    });
  });

  it('has as much memory as with Docker, and asks for less', () => {
    const { requests, limits } = containerOf(name)['resources'];
    expect(mebibytes(limits.memory)).toBe(mebibytes(compose.services[name]?.['mem_limit']));
    expect(mebibytes(requests.memory)).toBeLessThan(mebibytes(limits.memory));
    expect(requests.cpu).toMatch(/^\d+m$/);
    const [tmp] = compose.services[name]?.['tmpfs'] ?? [];
    const size = volumeOf(name, name === 'redis' ? 'run' : 'tmp')?.['emptyDir'];
    expect(size).toEqual({ medium: 'Memory', sizeLimit: expect.any(String) });
    expect(mebibytes(size.sizeLimit)).toBe(mebibytes(/,size=(\w+)$/.exec(tmp)?.[1] ?? ''));
  });
});

const serviceTargets = (documents: readonly Manifest[]) =>
  ofKind(documents, 'Service').map(({ metadata, spec }) => {
    const pods = [...ofKind(documents, 'Deployment'), ...ofKind(documents, 'StatefulSet')].map(
      (each) => each['spec'].template,
    );
    const found = pods.filter(({ metadata: { labels } }) =>
      Object.entries(spec.selector).every(([key, value]) => labels[key] === value),
    );
    const open = found.flatMap((pod) => pod.spec.containers[0].ports);
    return [
      metadata.name,
      spec.ports.map(({ targetPort }: Manifest) => open.find(({ name }) => name === targetPort)?.containerPort),
    ];
  });

describe('the installation', () => {
  it('has Services that lead to the ports of one pod each', () => {
    expect(Object.fromEntries(serviceTargets(all))).toEqual({
      'fixpoint-ingress': [8080],
      'fixpoint-console': [8090],
      redis: [6379],
    });
  });

  it('publishes webhooks and messages only', () => {
    const [rule] = one(all, 'Ingress', 'fixpoint')['spec'].rules;
    expect(rule.http.paths.map(({ path, backend }: Manifest) => [path, backend.service])).toEqual(
      ['/webhooks', '/messages'].map((path) => [path, { name: 'fixpoint-ingress', port: { name: 'http' } }]),
    );
    const [route] = one(all, 'HTTPRoute', 'fixpoint')['spec'].rules;
    expect(route.matches.map(({ path }: Manifest) => path.value)).toEqual(['/webhooks', '/messages']);
    expect(route.backendRefs).toEqual([{ name: 'fixpoint-ingress', port: 8080 }]);
  });

  it('has the Redis of docker-compose.yml, with its image and its command', () => {
    const { image: of, command } = containerOf('redis');
    const redis = compose.services['redis'];
    expect(of).toBe(redis?.['image']);
    expect(command).toEqual(redis?.['command'].map((word: string) => word.replaceAll('$$', '$')));
  });

  it('names an image with a tag everywhere, and holds no Secret', () => {
    for (const overlay of OVERLAY_NAMES) {
      const text = JSON.stringify(rendered(overlay));
      expect(
        [...text.matchAll(/"image":"([^"]*)"/g)].filter(([, name = '']) => !/:(?!latest)[\w.-]+$/.test(name)),
      ).toEqual([]);
      expect(ofKind(rendered(overlay), 'Secret')).toEqual([]);
    }
  });

  it('names only priorities, accounts and settings that are there', () => {
    for (const overlay of OVERLAY_NAMES) {
      const documents = rendered(overlay);
      const names = (kind: string): readonly string[] => ofKind(documents, kind).map(({ metadata }) => metadata.name);
      const pods = ofKind(documents, 'Deployment').map((each) => each['spec'].template.spec);
      for (const pod of pods) {
        expect(names('PriorityClass')).toContain(pod.priorityClassName);
        expect(names('ServiceAccount')).toContain(pod.serviceAccountName);
        expect(names('ConfigMap')).toEqual([pod.volumes[0].configMap.name]);
      }
    }
  });

  it('lets doctor read the Secrets of all services, and starts it only by hand', () => {
    const named = containerOf('doctor')['envFrom'].map(({ secretRef }: Manifest) => secretRef.name);
    const needs = new Set(SERVICES.flatMap((name) => SERVICE_NEEDS[name]));
    const has = new Set(
      SERVICES.filter((name) => named.includes(`fixpoint-${name}`)).flatMap((name) => SERVICE_NEEDS[name]),
    );
    expect([...has].toSorted()).toEqual([...needs].toSorted());
    expect(one(all, 'CronJob', 'fixpoint-doctor')['spec'].suspend).toBe(true);
  });

  it('keeps the author and the console off in both overlays', () => {
    for (const overlay of ['small', 'production'] as const) {
      const names = ofKind(rendered(overlay), 'Deployment').map(({ metadata }) => metadata.name);
      expect(names).toEqual(['explorer', 'guard', 'ingress', 'poster', 'reviewer'].map((name) => `fixpoint-${name}`));
    }
  });

  it('updates the console without a second process, because its sessions are in memory', () => {
    const { replicas, strategy } = workload('console')['spec'];
    expect({ replicas, strategy }).toEqual({ replicas: undefined, strategy: { type: 'Recreate' } });
  });

  it('gives the reviewers of production a disk each, and their number to KEDA alone', () => {
    const documents = rendered('production');
    for (const name of ['reviewer', 'explorer']) {
      const { replicas, template } = one(documents, 'Deployment', `fixpoint-${name}`)['spec'];
      expect(replicas).toBe(undefined);
      expect(template.spec.volumes.at(-1)).toMatchObject({
        name: 'data',
        ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '50Gi' } } } } },
      });
    }
    for (const name of ['ingress', 'guard', 'poster'])
      expect(one(documents, 'Deployment', `fixpoint-${name}`)['spec'].replicas).toBe(2);
  });
});

const GIBIBYTE = 2 ** 30;

/** The sizes of the volumes `data` of an overlay, in bytes. */
const dataSizes = (overlay: Overlay): readonly number[] =>
  ofKind(rendered(overlay), 'Deployment')
    .flatMap((each) => each['spec'].template.spec.volumes)
    .filter(({ name }: Manifest) => name === 'data')
    .map(({ emptyDir, ephemeral }: Manifest) => {
      const size: string = emptyDir?.sizeLimit ?? ephemeral.volumeClaimTemplate.spec.resources.requests.storage;
      return (mebibytes(size) * GIBIBYTE) / 1024;
    });

describe('the cap of mirrors', () => {
  it.each([
    ['small', 2],
    ['production', 2],
    ['everything', 3],
  ] as const)('of %s leaves room for checkouts on every volume', (overlay, volumes) => {
    const [settings] = ofKind(rendered(overlay), 'ConfigMap');
    const loaded = loadConfig({ text: settings?.['data']['fixpoint.toml'], env: {}, needs: [] });
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    const { maxGb } = loaded.config.mirrors;
    const room = dataSizes(overlay).map((size) => size - maxGb * 1e9);
    expect(room).toHaveLength(volumes);
    expect(Math.min(...room)).toBeGreaterThan(5 * GIBIBYTE);
  });

  it('of production fits the volume of an author, too', () => {
    const { patches } = parse(readProjectFile(`${MANIFESTS}/overlays/production/kustomization.yaml`));
    const [{ target }] = patches;
    for (const name of ['reviewer', 'explorer', 'author'])
      expect(`fixpoint-${name}`).toMatch(new RegExp(`^(?:${target.name})$`));
  });
});

describe('fixpoint.toml', () => {
  const paths = trackedFiles().filter((path) => path.startsWith(MANIFESTS) && path.endsWith('.toml'));

  it.each(paths)('%s is valid, and answers probes from outside of the pod', (path) => {
    const loaded = loadConfig({ path: join(PROJECT_ROOT, path), env: {}, needs: [] });
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    const { health, console, ingress } = loaded.config;
    expect(health).toMatchObject({ enabled: true, host: '0.0.0.0', portBase: everything.health.portBase });
    expect({ port: ingress.port, on: console.enabled }).toEqual({ port: 8080, on: false });
  });

  it('is what each overlay mounts', () => {
    expect(paths.length).toBe(2);
    for (const overlay of ['small', 'production'] as const) {
      const [settings] = ofKind(rendered(overlay), 'ConfigMap');
      const file = readFileSync(join(PROJECT_ROOT, MANIFESTS, 'overlays', overlay, 'fixpoint.toml'), 'utf8');
      expect(settings?.['data']).toEqual({ 'fixpoint.toml': file });
    }
  });
});
