extends CharacterBody2D
## What the section "state" captures: two properties of the class, and two of the script.

var hp := 100
var aim := 0.5
