/** `@portico/host/bullmq`: a queue that hands tasks to workers on several machines. */

export { type BullQueue, type BullQueueSetting, openBullQueue } from '../state/bullmq/bull-queue.ts'
