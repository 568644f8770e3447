/** Resources and resource templates as data. Handlers live in `server/features/resources.ts`. */

import type { Annotations, Icon, MetaObject, ResourceContents } from './content.ts'

/** A resource as a server lists it. */
export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
  icons?: Icon[]
  annotations?: Annotations
  _meta?: MetaObject
}

/** A template of resources as a server lists it. */
export interface ResourceTemplate {
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  icons?: Icon[]
  annotations?: Annotations
  _meta?: MetaObject
}

/** The contents of a resource. */
export interface ReadResourceResult {
  contents: ResourceContents[]
  _meta?: MetaObject
}

export interface ListResourcesResult {
  resources: Resource[]
  nextCursor?: string
  _meta?: MetaObject
}

export interface ListResourceTemplatesResult {
  resourceTemplates: ResourceTemplate[]
  nextCursor?: string
  _meta?: MetaObject
}
