/**
 * The page's files, as the inspector reads them when it starts.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPageFiles } from '../src/server/page-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'page-files-'));
  await mkdir(path.join(folder, 'assets'));
  await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
  await writeFile(path.join(folder, 'assets/index-abc.js'), 'start();');
  await writeFile(path.join(folder, '.fingerprint'), 'secret');
});

afterAll(() => rm(folder, { recursive: true }));

describe('the files of the page', () => {
  it('are found by the path that a browser asks for', async () => {
    const files = await readPageFiles(pathToFileURL(`${folder}/`));
    expect([...files.keys()].sort()).toEqual(['/', '/assets/index-abc.js', '/index.html']);
    expect(files.get('/')?.contentType).toBe('text/html; charset=utf-8');
    expect(files.get('/assets/index-abc.js')?.body.toString()).toBe('start();');
  });

  it('may be kept when their names carry a hash, and are asked for anew when not', async () => {
    const files = await readPageFiles(pathToFileURL(`${folder}/`));
    expect(files.get('/assets/index-abc.js')?.cacheControl).toContain('immutable');
    expect(files.get('/')?.cacheControl).toBe('no-cache');
  });

  it('are none when the page has not been built', async () => {
    expect((await readPageFiles(pathToFileURL(`${folder}/nowhere/`))).size).toBe(0);
  });
});
