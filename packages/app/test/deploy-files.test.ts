/** The files in examples/deploy: what can be run here is run, the rest is read and held against what the gateway has. */

import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { freePort } from '../../../tests/support/free-port.ts'
import { renderTemplate } from '../../../tests/support/helm-template.ts'
import { readGatewaySettings } from '../src/cli/gateway/gateway-settings.ts'
import { createFolder, startCli } from './cli.ts'

const deploy = fileURLToPath(new URL('../../../examples/deploy/', import.meta.url))
const text = (path: string): string => readFileSync(join(deploy, path), 'utf8')

interface Settings {
  readonly servers: object
  readonly gateway: { readonly port: number; readonly operations: { readonly port: number; readonly token: string } }
}

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.close())

describe('the container', () => {
  it('serves its own file with secrets from files, shows metrics, and reloads when told', async () => {
    const [port, operationsPort] = [await freePort(), await freePort()]
    const settings = JSON.parse(text('docker/portico.json')) as Settings
    const { gateway } = settings
    const own = { ...gateway, port, operations: { ...gateway.operations, port: operationsPort, host: '127.0.0.1' } }
    const file = join(folder.path, 'portico.json')
    await writeFile(file, JSON.stringify({ ...settings, gateway: own }))
    const secrets = { PORTICO_TOKEN: 'the-token-of-the-caller', OPERATIONS_TOKEN: 'the-token-of-the-operator' }
    for (const [name, value] of Object.entries(secrets)) await writeFile(join(folder.path, name), `${value}\n`)
    const running = startCli(['serve', file], {
      cwd: folder.path,
      env: {
        ...folder.env,
        PORTICO_TOKEN_FILE: join(folder.path, 'PORTICO_TOKEN'),
        OPERATIONS_TOKEN_FILE: join(folder.path, 'OPERATIONS_TOKEN'),
      },
    })
    const [url] = await running.until('stdout', /http:\S+/)
    const client = await connect(url, { headers: { authorization: `Bearer ${secrets.PORTICO_TOKEN}` } })
    expect((await client.listTools()).length).toBeGreaterThan(0)
    await client.close()
    const operations = `http://127.0.0.1:${operationsPort}`
    expect(await (await fetch(`${operations}/metrics`)).text()).toContain('portico_gateway_server_up{server="time"} 1')
    await writeFile(file, JSON.stringify({ ...settings, servers: {}, gateway: own }))
    const authorization = `Bearer ${secrets.OPERATIONS_TOKEN}`
    expect((await fetch(`${operations}/reload`, { method: 'POST', headers: { authorization } })).status).toBe(200)
    await running.until('stderr', /operations: reload/)
    expect(await (await fetch(`${operations}/metrics`)).text()).not.toContain('server_up{server="time"}')
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('is not root, and its ports and paths are those of the file', async () => {
    const dockerfile = text('docker/Dockerfile')
    const { gateway } = JSON.parse(text('docker/portico.json')) as Settings
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toContain(`EXPOSE ${gateway.port} ${gateway.operations.port}`)
    const link = /node_modules\/portico\/(\S+) \/usr\/local\/bin\/portico/.exec(dockerfile)?.[1]
    const manifest = JSON.parse(await readFile(join(deploy, '../../packages/app/package.json'), 'utf8'))
    expect(manifest.bin).toEqual({ portico: `./${link}` })
    const compose = parse(text('docker/compose.yaml'))
    expect(compose.services.gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(Object.keys(compose.services.gateway.environment)).toContain(`${gateway.operations.token}_FILE`)
  })
})

describe('the manifests', () => {
  const documents = parseAllDocuments(text('kubernetes/gateway.yaml')).map((document) => document.toJS())
  const byKind = new Map(documents.map((document) => [document.kind, document]))

  it('run without rights, with probes that the gateway answers, and secrets that it reads', () => {
    const { spec } = byKind.get('Deployment').spec.template
    const [container] = spec.containers
    expect(spec.securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    const settings = JSON.parse(byKind.get('ConfigMap').data['portico.json']) as Settings
    const ports = new Map(container.ports.map((port: { name: string }) => [port.name, port]))
    expect(ports.get('mcp')).toMatchObject({ containerPort: settings.gateway.port })
    expect(ports.get('operations')).toMatchObject({ containerPort: settings.gateway.operations.port })
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'operations' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'operations' })
    expect(container.env.map(({ name }: { name: string }) => name)).toContain('OPERATIONS_TOKEN_FILE')
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name).sort()
    expect(spec.volumes.map(({ name }: { name: string }) => name).sort()).toEqual(mounted)
  })

  it('find each other by their labels', () => {
    const { selector, template } = byKind.get('Deployment').spec
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    expect(byKind.get('Service').spec.selector).toEqual(selector.matchLabels)
    expect(byKind.get('PodDisruptionBudget').spec.selector).toEqual(selector)
  })
})

describe('the chart', () => {
  const values = parse(text('helm/values.yaml'))
  const render = (changed: object = {}) => {
    const scope = { Values: { ...values, ...changed }, Release: { Name: 'portico-gateway' } }
    const documents = ['configmap', 'deployment', 'service', 'disruption', 'autoscaling'].map((name) =>
      parse(renderTemplate(text(`helm/templates/${name}.yaml`), scope)),
    )
    return new Map(documents.filter((one) => one !== null).map((document) => [document.kind, document]))
  }
  const plain = new Map(
    parseAllDocuments(text('kubernetes/gateway.yaml')).map((one) => [one.toJS().kind as string, one.toJS()]),
  )
  const known = (gateway: unknown) => readGatewaySettings({ extras: [{ file: 'x', scope: 'user', gateway }] }).problems

  it('is the plain manifest with shared state: the same rights, probes and drain, and a door for the other replicas', () => {
    const chart = render()
    const [own, other] = [chart, plain].map((kinds) => kinds.get('Deployment').spec.template.spec)
    expect(own.securityContext).toEqual(other.securityContext)
    const [container, before] = [own.containers[0], other.containers[0]]
    for (const part of ['securityContext', 'livenessProbe', 'readinessProbe', 'lifecycle', 'volumeMounts', 'args']) {
      expect(container[part]).toEqual(before[part])
    }
    expect(container.ports).toEqual([...before.ports, { name: 'door', containerPort: 4100 }])
    expect(chart.get('Service').spec).toEqual(plain.get('Service').spec)
    expect(chart.get('Deployment').spec.strategy).toEqual(plain.get('Deployment').spec.strategy)
    const { gateway } = JSON.parse(chart.get('ConfigMap').data['portico.json'])
    expect(known(gateway)).toEqual([])
    expect(gateway.state).toEqual({
      redis: 'STATE_URL',
      door: { host: '0.0.0.0', port: 4100, url: 'DOOR_URL' },
    })
    const variables = container.env.map(({ name }: { name: string }) => name)
    expect(variables).toEqual(expect.arrayContaining(['STATE_URL_FILE', 'PORTICO_STATE_KEY_FILE', 'DOOR_URL']))
    // Only what comes before it in the list can be named in a value.
    expect(variables.indexOf('POD_IP')).toBeLessThan(variables.indexOf('DOOR_URL'))
  })

  it('lets one replica end at a time, and grows and shrinks by load', () => {
    const chart = render()
    const { selector } = chart.get('Deployment').spec
    expect(chart.get('PodDisruptionBudget').spec).toEqual({ maxUnavailable: 1, selector })
    const { scaleTargetRef, minReplicas, maxReplicas } = chart.get('HorizontalPodAutoscaler').spec
    expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'portico-gateway' })
    expect([minReplicas, maxReplicas]).toEqual([2, 10])
    expect(render({ autoscaling: { enabled: false } }).has('HorizontalPodAutoscaler')).toBe(false)
  })

  it('uses nothing that the check does not know', () => {
    const scope = { Values: {}, Release: {} }
    expect(() => renderTemplate('a: {{ include "x" . }}', scope)).toThrow('not known')
    expect(() => renderTemplate('a: {{ .Values.colour }}', scope)).toThrow('no value')
  })
})

describe('two containers as one gateway', () => {
  it('have one file that is known, the same secrets, and nginx that sends requests to each in turn', () => {
    const { gateway } = JSON.parse(text('docker/cluster.json'))
    expect(readGatewaySettings({ extras: [{ file: 'x', scope: 'user', gateway }] }).problems).toEqual([])
    const { services, secrets } = parse(text('docker/cluster.yaml'), { merge: true })
    const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))
    expect(gateways).toHaveLength(2)
    for (const [name, service] of gateways as [string, { environment: object; secrets: string[] }][]) {
      expect(Object.keys(service.environment)).toEqual(
        expect.arrayContaining([gateway.state.redis, 'PORTICO_STATE_KEY_FILE', `${gateway.operations.token}_FILE`]),
      )
      for (const secret of service.secrets) expect(Object.keys(secrets)).toContain(secret)
      expect(text('nginx/round-robin.conf')).toContain(`server ${name}:${gateway.port};`)
    }
    expect(text('nginx/round-robin.conf')).not.toMatch(/ip_hash|sticky|hash /)
  })
})
