/** Checks that an output path can be written, before the work whose result goes there. */
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { Mistake } from '../faults.ts';

/**
 * @throws Mistake if no file can be written there. An existing path may be a device. `-` is not standard output: the commands
 * print what they did there.
 */
export function checkFileToWrite(option: string, file: string | undefined): void {
  if (file === undefined) return;
  if (file === '-') {
    throw new Mistake(`${option}: a file was expected, and '-' is none; for a file of that name, give ./-`);
  }
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) checkFolderToWrite(option, path.dirname(file));
  else if (found.isDirectory())
    throw new Mistake(`${option}: a file was expected, and '${file}' is a folder`);
  else checkRight(file, `${option}: no right to write '${file}'`);
}

/**
 * @throws Mistake if it is the file of another option too, which would then be lost. A device, such as /dev/null, may be given
 * twice.
 */
export function checkOtherFile(
  option: string,
  file: string | undefined,
  otherOption: string,
  other: string | undefined,
): void {
  if (file === undefined || other === undefined || !isSameFile(file, other)) return;
  throw new Mistake(`${option}: '${file}' is the file of ${otherOption} too, and would replace it`);
}

function isSameFile(file: string, other: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  const otherFound = statSync(other, { throwIfNoEntry: false });
  if (found === undefined || otherFound === undefined) return path.resolve(file) === path.resolve(other);
  // By its number, since a link gives a file other names.
  return found.isFile() && found.dev === otherFound.dev && found.ino === otherFound.ino;
}

/** @throws Mistake if no files can be written in that folder. */
export function checkFolderToWrite(option: string, folder: string | undefined): void {
  if (folder === undefined) return;
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new Mistake(`${option}: no such folder: '${folder}'`);
  if (!found.isDirectory()) throw new Mistake(`${option}: a folder was expected, and '${folder}' is none`);
  checkRight(folder, `${option}: no right to write in '${folder}'`);
}

function checkRight(place: string, otherwise: string): void {
  try {
    accessSync(place, constants.W_OK);
  } catch {
    throw new Mistake(otherwise);
  }
}
