/** `@portico/host/errors`: what the host refuses to do, and the table of codes. */

export { HOST_ERROR_CODES, HostError, type HostErrorCode } from '../errors.ts'
