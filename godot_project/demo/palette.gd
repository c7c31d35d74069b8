extends RefCounted
## The colors of the demo's window.

const TEXT := Color("e8edf7")
const DIM := Color("8f9bb3")
const FAINT := Color(1.0, 1.0, 1.0, 0.05)
const BLUE := Color("5b8cff")
const ENGINE := Color("7d8aa5")
const VARBATCH := Color("35d6b4")
const BAND := Color(1.0, 1.0, 1.0, 0.07)
## Frames that are visibly late.
const HITCH := Color("ff8f6b")
const WRONG := Color("ff6b6b")
## The background below the cards.
const GROUND := Color("0f131d")
## The nodes that can be dragged.
const TOKENS: Array[Color] = [VARBATCH, BLUE, Color("b48cff"), Color("ffcf6b"), HITCH]
