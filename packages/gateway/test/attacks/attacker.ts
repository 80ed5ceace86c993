/** The process that attacks: by name, at a port, from an address, for at most so many milliseconds; ends by itself. */
import { constants, setPriority } from 'node:os';
import { attack } from './attack-list.ts';

const [name = '', port = '0', address = '127.0.0.2', ms = '1000'] = process.argv.slice(2);
// On a small machine the attacked must not lose its core to the attacker: that is another attack.
setPriority(constants.priority.PRIORITY_LOW);
const ending = new AbortController();
const stop = (): void => ending.abort();
setTimeout(stop, Number(ms)).unref();
process.on('message', stop);
process.on('disconnect', stop);
process.send?.('begins');
const tally = await attack(name, { port: Number(port), address, signal: ending.signal });
process.send?.(tally, () => process.disconnect());
