/**
 * Knows where every subschema of a document is: walks it once before anything is compiled, bounds its depth and size,
 * and finds what a `$ref` means. Looks nowhere but in the documents it was given; the network is never asked.
 */

import {
  countSubschema,
  type Dialect,
  dialectOf,
  isSchemaObject,
  LEADS_OUT,
  notASchema,
  ownString,
  pointerKeys,
  resolveUri,
  type SchemaObject,
  shapeOf,
  splitReference,
  unresolved,
} from './json-schema-place.ts'

/** A schema with its own base URI, and the anchors inside it. */
export interface Resource {
  readonly uri: string
  readonly root: SchemaObject | boolean
  readonly dialect: Dialect
  readonly anchors: Map<string, Located>
  /** The names among `anchors` that were declared by `$dynamicAnchor`. */
  readonly dynamic: Set<string>
}

/** A subschema and the resource whose base URI it stands under. */
interface Located {
  readonly schema: unknown
  readonly resource: Resource
}

interface Target extends Located {
  /** The anchor's name when the reference used one, which lets `$dynamicRef` look further. */
  readonly anchor: string | undefined
}

export class SchemaIndex {
  readonly #resources = new Map<string, Resource>()
  readonly #found = new Map<object, Resource>()
  readonly #maxDepth: number
  readonly #maxCount: number
  #count = 0
  /** Whether any `$dynamicRef` occurs, so that the dynamic scope is kept only when it is read. */
  dynamic = false

  constructor(maxDepth: number, maxCount: number) {
    this.#maxDepth = maxDepth
    this.#maxCount = maxCount
  }

  /** Takes in a whole document and returns its root. */
  add(document: unknown, uri: string): Located {
    const opened = this.#open(document, uri, '2020-12')
    const own = idOf(document, opened) ?? uri
    const resource = this.#register(own, { ...opened, uri: own })
    this.#register(uri, resource)
    this.#walk(document, resource, 0, '#')
    return { schema: document, resource }
  }

  /** The resource of a subschema that stands inside `parent`. */
  resourceOf(schema: unknown, parent: Resource): Resource {
    const uri = idOf(schema, parent)
    return uri === undefined ? parent : (this.#resources.get(uri) ?? parent)
  }

  resolve(reference: string, from: Resource): Target {
    const [address, fragment] = splitReference(reference)
    const resource = address === '' ? from : this.#resources.get(resolveUri(address, from.uri))
    if (resource === undefined) throw unresolved(reference, LEADS_OUT)
    if (fragment === '') return { schema: resource.root, resource, anchor: undefined }
    if (fragment.startsWith('/')) return { ...this.#point(reference, fragment, resource), anchor: undefined }
    const located = resource.anchors.get(fragment)
    if (located === undefined) throw unresolved(reference, 'no such anchor')
    return { ...located, anchor: fragment }
  }

  /** Follows a JSON Pointer; the target may stand where no keyword expects a schema and is then walked only now. */
  #point(reference: string, pointer: string, start: Resource): Located {
    let schema: unknown = start.root
    let resource = start
    for (const key of pointerKeys(pointer)) {
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) {
        throw unresolved(reference, 'nothing is there')
      }
      schema = (schema as SchemaObject)[key]
      resource = this.resourceOf(schema, resource)
    }
    if (typeof schema === 'object' && schema !== null) {
      const known = this.#found.get(schema)
      if (known !== undefined) return { schema, resource: known }
    }
    this.#walk(schema, resource, 0, pointer)
    return { schema, resource }
  }

  #walk(schema: unknown, parent: Resource, depth: number, where: string): void {
    this.#count = countSubschema(this.#count, depth, this.#maxCount, this.#maxDepth)
    if (typeof schema === 'boolean') return
    if (!isSchemaObject(schema)) throw notASchema(where)
    const resource = this.#identify(schema, parent)
    this.#found.set(schema, resource)
    if (resource.dialect === 'draft-07' && Object.hasOwn(schema, '$ref')) {
      // Siblings of $ref are ignored in draft-07, but definitions beside one are still pointed into.
      if (isSchemaObject(schema.definitions)) this.#walkAll(Object.entries(schema.definitions), resource, depth, where)
      return
    }
    if (Object.hasOwn(schema, '$dynamicRef')) this.dynamic = true
    for (const key of Object.keys(schema)) {
      const shape = shapeOf(key)
      const value = schema[key]
      if (shape === undefined) continue
      const spot = `${where}/${key}`
      if (shape === 'named') {
        // `dependencies` may also hold arrays of names.
        if (isSchemaObject(value))
          this.#walkAll(
            Object.entries(value).filter(([, v]) => key !== 'dependencies' || !Array.isArray(v)),
            resource,
            depth,
            spot,
          )
      } else if (Array.isArray(value)) this.#walkAll(value.entries(), resource, depth, spot)
      else if (shape === 'one') this.#walk(value, resource, depth + 1, spot)
    }
  }

  #walkAll(
    entries: Iterable<readonly [string | number, unknown]>,
    resource: Resource,
    depth: number,
    where: string,
  ): void {
    for (const [key, value] of entries) this.#walk(value, resource, depth + 1, `${where}/${key}`)
  }

  /** Reads `$id` and the anchors, and returns the resource that the schema belongs to. */
  #identify(schema: SchemaObject, parent: Resource): Resource {
    let resource = parent
    const uri = idOf(schema, parent)
    if (uri !== undefined && uri !== parent.uri) {
      resource = this.#open(schema, uri, parent.dialect)
      resource = this.#register(uri, resource)
    }
    if (resource.dialect === 'draft-07') {
      if (Object.hasOwn(schema, '$ref')) return resource
      const id = schema.$id
      if (typeof id === 'string' && id.includes('#')) {
        const name = id.slice(id.indexOf('#') + 1)
        if (name !== '') resource.anchors.set(name, { schema, resource })
      }
      return resource
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = ownString(schema, keyword)
      if (name === undefined) continue
      if (!resource.anchors.has(name)) resource.anchors.set(name, { schema, resource })
      if (keyword === '$dynamicAnchor') resource.dynamic.add(name)
    }
    return resource
  }

  #open(schema: unknown, uri: string, inherited: Dialect): Resource {
    const dialect = dialectOf(schema, inherited)
    return { uri, root: schema as SchemaObject | boolean, dialect, anchors: new Map(), dynamic: new Set() }
  }

  /** The first schema under an address keeps it: bundlers repeat the same definition. */
  #register(uri: string, resource: Resource): Resource {
    const known = this.#resources.get(uri)
    if (known !== undefined) return known
    this.#resources.set(uri, resource)
    return resource
  }
}

/** The absolute URI that a schema's `$id` gives it, if it has one. */
function idOf(schema: unknown, parent: Resource): string | undefined {
  if (!isSchemaObject(schema)) return undefined
  if (parent.dialect === 'draft-07' && Object.hasOwn(schema, '$ref')) return undefined
  const id = ownString(schema, '$id')
  const address = id === undefined ? '' : splitReference(id)[0]
  return address === '' ? undefined : resolveUri(address, parent.uri)
}
