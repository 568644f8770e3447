/**
 * Packs the extension as the file that `code --install-extension` takes, without the 140 MB of its official packager: this
 * is made whenever the package `portico` is packed. `npm run hosts` holds it against what `@vscode/vsce` makes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateRawSync } from 'node:zlib'

const OWN = fileURLToPath(new URL('.', import.meta.url))

/** The name in the file, where it is, and its kind. */
const PARTS = [
  ['extension/package.json', 'package.json'],
  ['extension/readme.md', 'README.md'],
  ['extension/LICENSE.txt', 'LICENSE'],
  ['extension/media/portico.svg', 'media/portico.svg'],
  ['extension/dist/extension.cjs', 'dist/extension.cjs'],
]
const KINDS = {
  '.cjs': 'application/octet-stream',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.vsixmanifest': 'text/xml',
}

/**
 * Writes the file; `dist/extension.cjs` has to be built.
 * @param {string} target where to
 */
export function writeVsix(target) {
  const definition = JSON.parse(readFileSync(join(OWN, 'package.json'), 'utf8'))
  const entries = [
    ['extension.vsixmanifest', Buffer.from(toManifest(definition))],
    ['[Content_Types].xml', Buffer.from(toTypes())],
    ...PARTS.map(([name, file]) => [name, readFileSync(join(OWN, file))]),
  ]
  writeFileSync(target, toZip(entries))
}

function toManifest({ name, version, publisher, displayName, description, categories, engines }) {
  const property = (id, value) => `      <Property Id="Microsoft.VisualStudio.${id}" Value="${toXml(value)}" />`
  const asset = (type, path) => `    <Asset Type="Microsoft.VisualStudio.${type}" Path="${path}" Addressable="true" />`
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">',
    '  <Metadata>',
    `    <Identity Language="en-US" Id="${toXml(name)}" Version="${toXml(version)}" Publisher="${toXml(publisher)}" />`,
    `    <DisplayName>${toXml(displayName)}</DisplayName>`,
    `    <Description xml:space="preserve">${toXml(description)}</Description>`,
    `    <Categories>${toXml(categories.join(','))}</Categories>`,
    '    <GalleryFlags>Public</GalleryFlags>',
    '    <Properties>',
    property('Code.Engine', engines.vscode),
    property('Code.ExtensionKind', 'workspace'),
    property('Code.ExecutesCode', 'true'),
    property('Services.Content.Pricing', 'Free'),
    '    </Properties>',
    '    <License>extension/LICENSE.txt</License>',
    '  </Metadata>',
    '  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>',
    '  <Dependencies />',
    '  <Assets>',
    asset('Code.Manifest', 'extension/package.json'),
    asset('Services.Content.Details', 'extension/readme.md'),
    asset('Services.Content.License', 'extension/LICENSE.txt'),
    '  </Assets>',
    '</PackageManifest>',
    '',
  ].join('\n')
}

function toTypes() {
  const kinds = Object.entries(KINDS).map(([end, type]) => `<Default Extension="${end}" ContentType="${type}" />`)
  const open = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
  return `<?xml version="1.0" encoding="utf-8"?>\n${open}${kinds.join('')}</Types>\n`
}

function toXml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}

/** 1 January 1980: the same files make the same bytes. */
const DATE = 0x21
const DEFLATED = 8

function toZip(entries) {
  const [locals, centrals] = [[], []]
  let offset = 0
  for (const [name, bytes] of entries) {
    const [title, packed] = [Buffer.from(name), deflateRawSync(bytes)]
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(DEFLATED, 4)
    fields.writeUInt16LE(DATE, 8)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(title.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    locals.push(Buffer.from('PK\x03\x04'), fields, title, packed)
    centrals.push(Buffer.from('PK\x01\x02\x14\x00'), fields, place, title)
    offset += 4 + fields.length + title.length + packed.length
  }
  const list = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, list, end])
}
