/** What of BullMQ the fleet uses: the build puts it into this module, so that nobody installs the rest. */
export { FlowProducer, Queue, UnrecoverableError, Worker, type Job } from 'bullmq';
