/** The server on each runtime, by that runtime's own way of serving HTTP. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installedPackage } from '../../support/install.ts'
import type { Trial } from '../../support/suite.ts'
import { bundle, folder } from '../bundle.ts'
import { lateChecks } from '../checks/older.ts'
import type { Command } from '../program.ts'
import { runRawWire } from './raw-wire.ts'

const NODES = [20, 22, 24]

/** workerd notices that a client has left only when it writes to it. */
const UNNOTICED = ['cancel', 'leave'] as const

export const runtimeSuites: Trial[] = [
  ...NODES.map((major) => onNode('fetch', 'node-fetch', major)),
  {
    name: 'fetch · bun',
    run: (report) =>
      runRawWire(report, {
        command: async () => ({ file: binary('bun'), args: [await bundle('bun', 'web')] }),
      }),
  },
  {
    name: 'fetch · deno',
    run: (report) =>
      runRawWire(report, {
        command: async () => ({
          file: binary('deno'),
          args: ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1', await bundle('deno', 'web')],
        }),
        // Deno does not notice when a client leaves before the answer, unless its request was a few hundred bytes.
        without: ['leave'],
      }),
  },
  {
    name: 'fetch · workers',
    // Nothing is shared between its requests: no sessions, and nobody to tell a listener of a change.
    run: (report) =>
      runRawWire(report, { command: () => workerd('worker'), without: ['listen', 'session', 'sse', ...UNNOTICED] }),
  },
  {
    name: 'fetch · workers, durable object',
    run: (report) => runRawWire(report, { command: () => workerd('worker-durable'), without: ['leave'] }),
  },
  ...NODES.map((major) => onNode('http', 'node-http', major)),
  ...NODES.map((major) => onNode('https', 'node-https', major)),
  ...NODES.map((major) => onNode('http2', 'node-http2', major)),
]

function onNode(kind: 'fetch' | 'http' | 'https' | 'http2', entry: string, major: number): Trial {
  const secure = kind === 'https' || kind === 'http2'
  return {
    name: `${kind} · node ${major}`,
    // The newest stands for the others where only the way of serving differs.
    long: secure && major !== 24,
    missing: () => {
      if (nodeBinary(major) === undefined) return `there is no Node ${major} for ${process.platform}-${process.arch}`
      return secure && makeCertificate() === undefined ? 'openssl, which makes the certificate, is missing' : undefined
    },
    run: (report) =>
      runRawWire(report, {
        protocol: kind === 'http2' ? 'h2' : 'http/1.1',
        more: secure ? lateChecks : [],
        command: async () => ({
          file: nodeBinary(major) ?? '',
          args: [await bundle(entry, 'node')],
          env: secure ? makeCertificate() : undefined,
        }),
      }),
  }
}

async function workerd(name: string): Promise<Command> {
  const file = await bundle(name, 'web')
  // Its control channel says which port it took.
  return { file: binary('workerd'), args: ['serve', '--control-fd=1', `${name}.capnp`], cwd: dirname(file) }
}

function binary(name: string): string {
  return installedPackage(folder, '.bin', process.platform === 'win32' ? `${name}.cmd` : name)
}

/** This very Node where it is of the version asked for; otherwise the one that was installed. */
function nodeBinary(major: number): string | undefined {
  if (Number.parseInt(process.versions.node, 10) === major) return process.execPath
  const file = installedPackage(folder, `node-${major}-${process.platform}-${process.arch}`, 'bin', 'node')
  return existsSync(file) ? file : undefined
}

/** A certificate that signs itself, made once; undefined where there is nothing to make it with. */
function makeCertificate(): { TLS_KEY: string; TLS_CERT: string } | undefined {
  const home = join(folder, 'dist')
  const files = { TLS_KEY: join(home, 'key.pem'), TLS_CERT: join(home, 'cert.pem') }
  if (existsSync(files.TLS_KEY) && existsSync(files.TLS_CERT)) return files
  mkdirSync(home, { recursive: true })
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650']
  const { status } = spawnSync('openssl', [...kind, ...subject, '-keyout', files.TLS_KEY, '-out', files.TLS_CERT])
  return status === 0 ? files : undefined
}
