/** A process whose follower throws: `node throwing-follower.ts URL WORLD`. It must not live on as if all were well. */
import { natsLog } from '../../src/log/nats-log.ts';

const [servers = '', world = ''] = process.argv.slice(2);
const log = await natsLog({ servers, world });
await log.follow(
  1,
  (position) => {
    throw new Error(`a fault of the caller's own at ${position}`);
  },
  () => process.stdout.write('lost\n'),
);
process.stdout.write('following\n');
