// Example of: clusterStatus, ClusterStatus, ClusterStatusOptions, MemberStatus, MemberStanding, WorldStanding
import {
  type ClusterStatus,
  type ClusterStatusOptions,
  clusterStatus,
  joinWorld,
  type MemberStanding,
  type MemberStatus,
  memoryLog,
  type WorldStanding,
} from '@umwelt/cluster';

const log = memoryLog();
const node = await joinWorld({ log, name: 'first', tickMs: 10 });
await node.add({ x: 0, y: 0 });

// Without joining: ask any member, and watch the log for a while.
const options: ClusterStatusOptions = { watchMs: 100 };
const status: ClusterStatus | undefined = await clusterStatus(log, options);
const member: MemberStatus | undefined = status?.members[0];
console.log(member?.name, member?.owned, status !== undefined && status.marks > 0); // first 1 true

/** What a report by a log's state alone has; what was seen while watching is more. */
function line(
  { entities, orphans }: Omit<WorldStanding, 'members'>,
  { name, silentTicks }: MemberStanding,
): string {
  return `${entities} entities, ${orphans} without an owner; ${name} ${silentTicks < 50 ? 'lives' : 'is silent'}`;
}
if (status && member) console.log(line(status, member)); // 1 entities, 0 without an owner; first lives
await node.leave();
