/** `@portico/servers/documents`: the text of documents that strangers made, for hosts whose models take text alone. */

export { createDocumentReader, type DocumentReaderOptions } from '../documents/document-reader.ts'
