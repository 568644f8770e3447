/** The files in examples/deploy: what can be run here is run, the rest is read and held against what the gateway has. */

import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { freePort } from '../../../tests/support/free-port.ts'
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
