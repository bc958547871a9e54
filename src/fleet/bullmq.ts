/** The parts of BullMQ that the fleet uses. The build bundles them into this module, so that the rest need not be installed. */
export {
  FlowProducer,
  Queue,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
  UnrecoverableError,
  Worker,
  type FlowJob,
  type Job,
} from 'bullmq';
