/** The part of pomelo-aoi that we use; the package has no types. */
declare module 'pomelo-aoi' {
  export interface Place {
    x: number;
    y: number;
  }
  export interface Thing {
    readonly id: number;
    readonly type: string;
  }
  /** By type, then by id: the id. */
  export type Watchers = Readonly<Record<string, Readonly<Record<string, number>>>>;
  export interface Events {
    add: { readonly id: number; readonly watchers: Watchers };
    update: { readonly id: number; readonly oldWatchers: Watchers; readonly newWatchers: Watchers };
    updateWatcher: {
      readonly id: number;
      readonly addObjs: readonly number[];
      readonly removeObjs: readonly number[];
    };
  }
  export interface TowerAoi {
    on<Name extends keyof Events>(event: Name, listener: (event: Events[Name]) => void): void;
    /** False if the position is outside the map. */
    addObject(thing: Thing, place: Place): boolean;
    updateObject(thing: Thing, from: Place, to: Place): boolean | undefined;
    /** A range is a number of towers, at most 5. */
    addWatcher(thing: Thing, place: Place, range: number): void;
    updateWatcher(thing: Thing, from: Place, to: Place, oldRange: number, newRange: number): boolean;
    getIdsByPos(place: Place, range: number): number[];
  }
  const service: {
    getService(options: { width: number; height: number; towerWidth: number; towerHeight: number }): {
      readonly aoi: TowerAoi;
    };
  };
  export default service;
}
