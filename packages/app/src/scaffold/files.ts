/** The files of a new server, as text: a definition, its test, and what it takes to run, check and edit them. */

interface ScaffoldOptions {
  readonly name: string
  /** Which versions of our packages to ask for. */
  readonly version: string
}

/** By path within the folder. */
export function scaffoldFiles(options: ScaffoldOptions): { readonly [path: string]: string } {
  return {
    'package.json': `${JSON.stringify(manifest(options), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    'server.ts': server(options),
    'server.test.ts': TEST,
    'README.md': readme(options),
    '.gitignore': 'node_modules/\n',
  }
}

function manifest({ name, version }: ScaffoldOptions): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20' },
    scripts: {
      dev: 'portico dev server.ts --http 3000',
      start: 'portico run server.ts --http 3000',
      test: 'node --import portico/typescript --test server.test.ts',
      check: 'tsc --noEmit',
    },
    dependencies: { '@portico/sdk': `^${version}`, portico: `^${version}` },
    devDependencies: { '@types/node': '^20.0.0', typescript: '>=5.7' },
  }
}

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

function server({ name }: ScaffoldOptions): string {
  return `import { createServer, ToolError, tool } from '@portico/sdk/server'

const input = {
  type: 'object',
  properties: {
    celsius: { type: 'number', description: 'Degrees Celsius' },
  },
  required: ['celsius'],
} as const

/** What the model reads is the description; what it may send is the schema. */
const toFahrenheit = tool(
  { description: 'Converts a temperature from Celsius to Fahrenheit', input, readOnly: true },
  ({ celsius }) => {
    // A ToolError tells the model what was wrong, so that it can do better.
    if (celsius < -273.15) throw new ToolError('Nothing is colder than -273.15 °C')
    return \`\${celsius} °C is \${(celsius * 9) / 5 + 32} °F\`
  },
)

export default createServer({
  name: ${JSON.stringify(name)},
  version: '0.1.0',
  tools: { to_fahrenheit: toFahrenheit },
})
`
}

const TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEra } from '@portico/sdk/testing'
import server from './server.ts'

// Once with a client of the older revisions, once with one of the newest.
test('converts', () =>
  eachEra(server, async (client) => {
    assert.equal(await client.tools.to_fahrenheit({ celsius: 100 }), '100 °C is 212 °F')
  }))

test('says what is wrong with an impossible temperature', () =>
  eachEra(server, async (client) => {
    const { isError, content } = await client.callTool('to_fahrenheit', { celsius: -300 })
    assert.equal(isError, true)
    assert.match(JSON.stringify(content), /colder/)
  }))
`

function readme({ name }: ScaffoldOptions): string {
  return `# ${name}

A server for the Model Context Protocol.

\`\`\`sh
npm install
npm test
npm run check                              # types
npx portico call server.ts to_fahrenheit celsius=21
npx portico install claude-desktop server.ts
npm run dev                                # serves it on http://127.0.0.1:3000/mcp while you edit server.ts
npm start                                  # the same, without looking for changes
\`\`\`
`
}
