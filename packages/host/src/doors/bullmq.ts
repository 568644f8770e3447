/** `@portico/host/bullmq`: a queue that hands tasks to workers on several machines. */

export {
  type BullPostgresSetting,
  type BullQueue,
  type BullQueueOptions,
  type BullQueueSetting,
  type BullRedisSetting,
  openBullQueue,
} from '../state/bullmq/bull-queue.ts'
