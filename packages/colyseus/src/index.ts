/** `@umwelt/colyseus`: a Colyseus room whose clients get what they perceive, and nothing else. */
export {};
