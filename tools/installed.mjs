/**
 * The packages of package-lock.json that a job needs, and whether node_modules contains them.
 *
 * A job that only runs the engine and its page needs a tenth of what tests and checks need, so `npm start` on a fresh
 * clone does not wait for compilers. npm writes what it installed to node_modules/.package-lock.json when it is done, in
 * the form of package-lock.json; an interrupted installation leaves no such file. Missing optional packages are those of
 * other platforms.
 *
 * Plain JavaScript without dependencies, because it runs before anything is installed.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Whether everything that these workspaces need is installed; without workspaces, everything in the lock file. */
export function isInstalled(root, workspaces) {
  const wanted = lockedPackages(root, 'package-lock.json');
  const present = lockedPackages(root, path.join('node_modules', '.package-lock.json'));
  if (present === undefined || wanted === undefined) return false;
  const places = workspaces === undefined ? Object.keys(wanted) : neededPlaces(wanted, workspaces);
  return places.every((place) => {
    const entry = wanted[place];
    if (!place.includes('node_modules/') || entry.optional) return true;
    // Only packages are imported by name: links to other workspaces are not needed.
    if (entry.link && !entry.resolved.startsWith('packages/')) return true;
    const found = present[place];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** The number of these packages, without workspaces. */
export function packageCount(root, workspaces) {
  const wanted = lockedPackages(root, 'package-lock.json') ?? {};
  const places = workspaces === undefined ? Object.keys(wanted) : neededPlaces(wanted, workspaces);
  return places.filter(
    (place) => place.includes('node_modules/') && !wanted[place].link && !wanted[place].optional,
  ).length;
}

/**
 * Removes what the npm package `node` leaves behind when it is installed: the package that its binary came from, with 68 MB
 * of C++ headers. The binary has a name of its own beside it (a hard link), which stays.
 */
export function removeNodeRemains(root) {
  const folder = path.join(root, 'node_modules', 'node');
  const hasBinary = ['node', 'node.exe'].some((name) => existsSync(path.join(folder, 'bin', name)));
  if (hasBinary) rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
}

/** The keys in the lock file of everything that some workspaces need, their own keys included. */
export function neededPlaces(packages, workspaces) {
  const needed = new Set();
  const waiting = workspaces.map((place) => ({ place, isAsked: true }));
  for (const { place, isAsked } of waiting) {
    const entry = packages[place];
    if (entry === undefined || needed.has(place)) continue;
    needed.add(place);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = entry;
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
    const own = isAsked ? Object.keys(entry.devDependencies ?? {}) : [];
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers, ...own]) {
      const found = placeOf(packages, place, name);
      if (found !== undefined) waiting.push({ place: found, isAsked: false });
    }
    if (entry.link) waiting.push({ place: entry.resolved, isAsked: false });
  }
  return [...needed];
}

/** The key of the package `name` as resolved from `place`: in its own node_modules, else in those above. */
function placeOf(packages, place, name) {
  for (let folder = place; ; folder = folder.replace(/(^|\/)[^/]+$/, '')) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (folder === '') return undefined;
  }
}

function lockedPackages(root, file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}
